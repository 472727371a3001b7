package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"testing"
)

// switched finds code outside of mech that decides by the name of a mechanism:
// that compares with one, has a case for one, or looks for it in a list. A name
// as a default or in a table is data. What others must know of a mechanism, its
// mech.Kind says.
func switched(t *tree) []string {
	registered := map[string]bool{}
	for _, s := range t.code {
		if s.path == "promise/mech/catalogue.go" {
			ast.Inspect(s.file, func(n ast.Node) bool {
				if kv, ok := n.(*ast.KeyValueExpr); ok && fmt.Sprint(kv.Key) == "Name" {
					registered[text(kv.Value)] = true
				}
				return true
			})
		}
	}
	delete(registered, "")
	var found []string
	for _, s := range t.code {
		if s.isTest() || s.dir() == "promise/mech" {
			continue
		}
		refuse := func(list ...ast.Expr) {
			for _, e := range list {
				if registered[text(e)] {
					found = append(found, fmt.Sprintf("%s: decides by the name %q, ask mech.VariantOf or mech.Uses", t.at(e), text(e)))
				}
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					refuse(n.X, n.Y)
				}
			case *ast.CaseClause:
				refuse(n.List...)
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && fmt.Sprint(f.X) == "slices" && len(n.Args) > 0 {
					if list, ok := n.Args[0].(*ast.CompositeLit); ok {
						refuse(list.Elts...)
					}
				}
			}
			return true
		})
	}
	return found
}

// text returns what a string literal says, "" for anything else.
func text(e ast.Expr) string {
	if b, ok := e.(*ast.BasicLit); ok && b.Kind == token.STRING {
		if s, err := strconv.Unquote(b.Value); err == nil {
			return s
		}
	}
	return ""
}

func TestNames(t *testing.T) {
	tree := func(code string) map[string]string {
		return map[string]string{
			"promise/mech/catalogue.go": "package mech\nvar all = []Kind{{Name: \"ome\"}, {Name: \"codes\"}}\nfunc is(s string) bool { return s == \"ome\" }",
			"train/a.go":                "package train\nfunc f(s string) bool {\n" + code + "\n}",
			"train/a_test.go":           "package train\nfunc g(s string) bool { return s == \"codes\" }",
		}
	}
	enforce(t, switched, []example{
		{name: "a default", files: tree(`p := Params{Mechanism: "ome"}; return p.ok()`)},
		{name: "another name", files: tree(`return s == "mean"`)},
		{name: "compared", files: tree(`return s == "ome"`), want: `train/a.go:3: decides by the name "ome"`},
		{name: "refused", files: tree(`return "codes" != s`), want: `decides by the name "codes"`},
		{name: "a case", files: tree("switch s {\ncase \"ome\":\nreturn true\n}\nreturn false"), want: `train/a.go:4: decides by the name "ome"`},
		{name: "in a list", files: tree(`return slices.Contains([]string{"ome", "mean"}, s)`), want: `decides by the name "ome"`},
	})
}
