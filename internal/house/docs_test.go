package house_test

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// packageComments finds packages that have no package comment, or several.
func packageComments(t *tree) []string {
	comments := map[string]int{}
	for _, s := range t.code {
		if s.isTest() {
			continue
		}
		name := s.dir() + ": package " + s.file.Name.Name
		comments[name] += 0
		if strings.TrimSpace(s.file.Doc.Text()) != "" {
			comments[name]++
		}
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(comments)) {
		if n := comments[name]; n != 1 {
			found = append(found, fmt.Sprintf("%s has %d package comments, must have 1", name, n))
		}
	}
	return found
}

// undocumented finds exported identifiers without a doc comment, in packages
// that others can import.
func undocumented(t *tree) []string {
	var found []string
	for _, s := range t.code {
		if s.isTest() || s.internal() {
			continue
		}
		for _, d := range s.file.Decls {
			for _, name := range bare(d) {
				found = append(found, fmt.Sprintf("%s: exported %s has no doc comment", t.at(name), name.Name))
			}
		}
	}
	return found
}

// bare returns the exported names that a declaration leaves undocumented. A
// comment on a group of constants or variables speaks for all of them.
func bare(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var names []*ast.Ident
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if typeDoc(d, spec) == nil && spec.Name.IsExported() {
					names = append(names, spec.Name)
				}
			case *ast.ValueSpec:
				if d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
					names = append(names, slices.DeleteFunc(slices.Clone(spec.Names), notExported)...)
				}
			}
		}
		return names
	}
	return nil
}

func notExported(name *ast.Ident) bool { return !name.IsExported() }

// typeDoc returns a type's own comment: one on a group says nothing of it.
func typeDoc(d *ast.GenDecl, spec *ast.TypeSpec) *ast.CommentGroup {
	if spec.Doc == nil && !d.Lparen.IsValid() {
		return d.Doc
	}
	return spec.Doc
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) != 1 {
		return ""
	}
	return baseName(d.Recv.List[0].Type)
}

// baseName strips pointers and type arguments from the name of a type. It is
// empty for types without a name.
func baseName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return baseName(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	}
	return ""
}

// exports counts the exported names that a file declares, without methods.
func exports(f *ast.File) int {
	var names []*ast.Ident
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name)
				case *ast.ValueSpec:
					names = append(names, spec.Names...)
				}
			}
		}
	}
	return len(slices.DeleteFunc(names, notExported))
}

func TestPackageComments(t *testing.T) {
	enforce(t, packageComments, []example{
		{
			name:  "one",
			files: map[string]string{"a/a.go": "// Package a is.\npackage a", "a/b.go": "package a", "a/c_test.go": "// C.\npackage a_test"},
		},
		{
			name:  "none",
			files: map[string]string{"a/a.go": "//go:build linux\n\npackage a"},
			want:  "a: package a has 0 package comments",
		},
		{
			name:  "two",
			files: map[string]string{"a/a.go": "// Package a is.\npackage a", "a/b.go": "// Package a is.\npackage a"},
			want:  "a: package a has 2 package comments",
		},
	})
}

func TestDocumented(t *testing.T) {
	enforce(t, undocumented, []example{
		{
			name: "documented",
			files: map[string]string{"a/a.go": `package a
// T is.
type T[E any] struct{ Field int }
// M is.
func (t *T[E]) M() {}
type hidden int
func (h hidden) String() string { return "" }
// Limits.
const (
	A = 1
	B = 2
)
var C = 3 // the third
func plain() {}`},
		},
		{
			name:  "internal",
			files: map[string]string{"internal/a/a.go": "package a\nfunc F() {}"},
		},
		{
			name:  "function",
			files: map[string]string{"a/a.go": "package a\nfunc F() {}"},
			want:  "a/a.go:2: exported F has no doc comment",
		},
		{
			name:  "method",
			files: map[string]string{"a/a.go": "package a\n// T is.\ntype T[A, B any] struct{}\nfunc (t *T[A, B]) M() {}"},
			want:  "exported M",
		},
		{
			name:  "type in a group",
			files: map[string]string{"a/a.go": "package a\n// Types.\ntype (\n\tT int\n)"},
			want:  "exported T",
		},
		{
			name:  "variable",
			files: map[string]string{"a/a.go": "package a\nvar x, V = 1, 2"},
			want:  "exported V",
		},
	})
}
