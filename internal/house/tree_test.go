package house_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// module is the path that go.mod gives to this repository.
const module = "sotto"

// root is where this repository lies, seen from this package.
const root = "../.."

// largest is the size above which a file is taken to be data and not read.
const largest = 4 << 20

// tree is what a rule looks at: the files of a repository.
type tree struct {
	known map[string]bool   // every file and directory, by slash-separated path
	paths []string          // the text files, in order
	text  map[string]string // what they hold
	fset  *token.FileSet
	code  []source // the Go files, in order, without those under testdata
}

// source is a parsed Go file.
type source struct {
	path string
	file *ast.File
}

func (s source) dir() string    { return path.Dir(s.path) }
func (s source) isTest() bool   { return strings.HasSuffix(s.path, "_test.go") }
func (s source) internal() bool { return strings.HasPrefix(s.path, "internal/") }

// load reads a tree, leaving out what git ignores or keeps for itself.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{known: map[string]bool{}, text: map[string]string{}, fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(name):
			return fs.SkipDir
		case d.IsDir() || !d.Type().IsRegular() || name == ".git": // a file in a second working tree
			t.known[name] = true
			return nil
		}
		t.known[name] = true
		return t.add(fsys, name, d)
	})
	return t, err
}

// skipped reports whether a directory holds nothing that is kept in git.
func skipped(dir string) bool {
	switch base := path.Base(dir); base {
	case ".", ".ci", ".github":
		return false
	case "node_modules":
		return true
	case "bin", "dist":
		return dir == base
	default:
		return strings.HasPrefix(base, ".")
	}
}

// add reads one file, if it is text, and parses it, if it is Go.
func (t *tree) add(fsys fs.FS, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil || info.Size() > largest {
		return err
	}
	content, err := fs.ReadFile(fsys, name)
	if err != nil || bytes.IndexByte(content, 0) >= 0 {
		return err
	}
	t.paths = append(t.paths, name)
	t.text[name] = string(content)
	if path.Ext(name) != ".go" || strings.Contains("/"+name, "/testdata/") {
		return nil
	}
	file, err := parser.ParseFile(t.fset, name, content, parser.ParseComments|parser.SkipObjectResolution)
	t.code = append(t.code, source{name, file})
	return err
}

// at renders where a node stands, as path:line.
func (t *tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// length returns the number of lines on which a node stands.
func (t *tree) length(n ast.Node) int {
	return t.fset.Position(n.End()).Line - t.fset.Position(n.Pos()).Line + 1
}

// withExt returns the paths of the text files with an extension.
func (t *tree) withExt(ext string) []string {
	var found []string
	for _, p := range t.paths {
		if path.Ext(p) == ext {
			found = append(found, p)
		}
	}
	return found
}

// rule returns what it finds wrong with a tree, one sentence each.
type rule func(*tree) []string

// example is a small tree, and what a rule must find in it.
type example struct {
	name  string
	files map[string]string
	want  string // part of the only finding; empty if there must be none
}

// enforce applies a rule to the examples, and then to this repository.
func enforce(t *testing.T, r rule, examples []example) {
	t.Helper()
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, content := range e.files {
				fsys[name] = &fstest.MapFile{Data: []byte(content)}
			}
			small, err := load(fsys)
			if err != nil {
				t.Fatal(err)
			}
			got := r(small)
			if e.want == "" && len(got) > 0 {
				t.Errorf("found %q, want nothing", got)
			}
			if e.want != "" && (len(got) != 1 || !strings.Contains(got[0], e.want)) {
				t.Errorf("found %q, want one finding with %q", got, e.want)
			}
		})
	}
	t.Run("this repository", func(t *testing.T) {
		for _, finding := range r(repository(t)) {
			t.Error(finding)
		}
	})
}

// repository returns the tree that this package is part of.
func repository(t *testing.T) *tree {
	t.Helper()
	here, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return here
}

// loaded reads this repository once for all rules.
var loaded = sync.OnceValues(func() (*tree, error) { return load(os.DirFS(root)) })
