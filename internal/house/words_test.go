package house_test

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The expressions below are written so that they do not match themselves.
var (
	// foreign matches places and words that mean nothing to a reader elsewhere.
	foreign = regexp.MustCompile(`(/[w]ork/|/[f]arm/|/[r]oot/|\bsub[a]gent|\.[l]ibrary)`)
	// unfinished matches the usual marks of work left undone.
	unfinished = regexp.MustCompile(`\b(TO[D]O|FIX[M]E|XX[X])\b`)

	// beside matches the folder beside the repository where its own tests may
	// find data. What a user gets must not name it.
	beside = regexp.MustCompile(`\.\./[s]hared|"[s]hared", *"data"`)

	replacement = regexp.MustCompile(`^\s*replace\b(\s+\S+)?`)
)

// misplaced finds lines that do not belong into this repository.
func misplaced(t *tree) []string { return match(t, t.paths, foreign, "does not belong here") }

// besides finds lines that name the folder beside the repository, but for
// tests and the two files that tell tests where it is.
func besides(t *tree) []string {
	product := slices.DeleteFunc(slices.Clone(t.paths), func(p string) bool {
		return p == "Makefile" || p == ".ci/run" || strings.HasSuffix(p, "_test.go") || strings.Contains("/"+p, "/testdata/")
	})
	return match(t, product, beside, "is nothing that a user has")
}

// marked finds lines that promise work instead of doing it.
func marked(t *tree) []string { return match(t, t.paths, unfinished, "open an issue instead") }

// match finds the lines of some files in which an expression occurs.
func match(t *tree, paths []string, expr *regexp.Regexp, fault string) []string {
	var found []string
	for _, p := range paths {
		n := 0
		for line := range strings.Lines(t.text[p]) {
			n++
			if m := expr.FindString(line); m != "" {
				found = append(found, fmt.Sprintf("%s:%d: %q: %s", p, n, strings.TrimSpace(m), fault))
			}
		}
	}
	return found
}

// replaced finds modules whose dependencies are not the published ones. A module of the
// house may take the house itself as it lies here.
func replaced(t *tree) []string {
	var mods []string
	for _, p := range t.paths {
		if path.Base(p) == "go.mod" {
			mods = append(mods, p)
		}
	}
	return slices.DeleteFunc(match(t, mods, replacement, "use a published version"), func(line string) bool {
		return strings.Contains(line, `"replace sotto":`)
	})
}

// silent finds tests that skip without saying why.
func silent(t *tree) []string {
	var found []string
	for _, s := range t.code {
		if !s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && (sel.Sel.Name == "SkipNow" || sel.Sel.Name == "Skip" && reasonless(call.Args)) {
				found = append(found, fmt.Sprintf("%s: %s gives no reason", t.at(call), sel.Sel.Name))
			}
			return true
		})
	}
	return found
}

// reasonless reports whether the arguments of a Skip say nothing.
func reasonless(args []ast.Expr) bool {
	if len(args) == 0 {
		return true
	}
	first, ok := args[0].(*ast.BasicLit)
	return ok && strings.Trim(first.Value, "\"` ") == ""
}

func TestNothingForeign(t *testing.T) {
	enforce(t, misplaced, []example{
		{name: "clean", files: map[string]string{"a.md": "homework/ and framework/ and the library\n"}},
		{name: "path", files: map[string]string{"a.md": "fine\nsee /" + "work/main\n"}, want: `a.md:2: "/` + `work/": does not belong here`},
		{name: "hidden file", files: map[string]string{".ci/run": "cat /" + "root/.profile\n"}, want: ".ci/run:1"},
		{name: "word", files: map[string]string{"testdata/a.json": `"a sub` + `agent"`}, want: "testdata/a.json:1"},
		{name: "folder", files: map[string]string{"a.go": "package a // ." + "library/x\n"}, want: "a.go:1"},
	})
}

func TestNothingBeside(t *testing.T) {
	place := ".." + "/shared/data"
	enforce(t, besides, []example{
		{name: "allowed", files: map[string]string{"Makefile": place, ".ci/run": place, "a/a_test.go": "package a // " + place, "b.md": "shared data"}},
		{name: "page", files: map[string]string{"docs/a.md": "see\n" + place}, want: "docs/a.md:2"},
		{name: "code", files: map[string]string{"a/a.go": "package a\nvar x = join(\"..\", \"shared\", \"data\")"}, want: "a/a.go:2"},
	})
}

func TestNothingUnfinished(t *testing.T) {
	enforce(t, marked, []example{
		{name: "clean", files: map[string]string{"a.sh": "mktemp a.XXXXXX # to do\n"}},
		{name: "mark", files: map[string]string{"a.go": "package a // TO" + "DO: all of it\n"}, want: "a.go:1"},
		{name: "call", files: map[string]string{"a.go": "package a\nvar c = context.TO" + "DO()\n"}, want: "a.go:2"},
		{name: "other mark", files: map[string]string{"Makefile": "# FIX" + "ME\n"}, want: "Makefile:1"},
	})
}

func TestNoReplace(t *testing.T) {
	enforce(t, replaced, []example{
		{name: "clean", files: map[string]string{"go.mod": "module sotto // replaces nothing\n", "a.md": "replace x\n"}},
		{name: "line", files: map[string]string{"go.mod": "module sotto\nreplace a => ../a\n"}, want: "go.mod:2"},
		{name: "the house itself", files: map[string]string{"sub/go.mod": "module sotto/sub\nreplace sotto => ../\n"}},
		{name: "another of the name", files: map[string]string{"sub/go.mod": "module sotto/sub\nreplace sottolibro => ../\n"}, want: "sub/go.mod:2"},
		{name: "block", files: map[string]string{"sub/go.mod": "module sub\nreplace (\n\ta => ../a\n)\n"}, want: "sub/go.mod:2"},
	})
}

func TestSkipsGiveReasons(t *testing.T) {
	test := func(body string) map[string]string {
		return map[string]string{"a_test.go": "package a_test\nfunc TestA(t *testing.T) { " + body + " }\n"}
	}
	enforce(t, silent, []example{
		{name: "reason", files: test(`t.Skip("needs a terminal"); t.Skipf("needs %d", n); it.Skip(n)`)},
		{name: "none", files: test(`t.Skip()`), want: "a_test.go:2: Skip gives no reason"},
		{name: "empty", files: test("t.Skip(\" \")"), want: "Skip gives no reason"},
		{name: "at once", files: test(`if x { t.SkipNow() }`), want: "SkipNow gives no reason"},
	})
}
