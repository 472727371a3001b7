package house_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var stamp = flag.Bool("stamp", false, "write the digest of the code into the first line of each proof")

var (
	// firstLine is how a proof begins: the files it proves and their digests.
	firstLine = regexp.MustCompile(`^Proves [\w.-]+\.go@[0-9a-f]{12}(, [\w.-]+\.go@[0-9a-f]{12})*$`)
	// unstamped is the same before the first "make proofs".
	unstamped = regexp.MustCompile(`^Proves [\w.-]+\.go(@\w*)?(, [\w.-]+\.go(@\w*)?)*$`)
	// proven finds the files in it.
	proven = regexp.MustCompile(`([\w.-]+\.go)(?:@(\w*))?`)

	proofName = regexp.MustCompile(`Proof: ([\w.-]+\.md)`)
	auditName = regexp.MustCompile(`Audit: (Test\w+(?:(?:, | and |, and )Test\w+)*)`)
	testName  = regexp.MustCompile(`Test\w+`)
)

// headings are the sections of a proof.
var headings = []string{"Precondition", "Pseudocode", "Claim", "Proof", "Numerics"}

// labels are what the comment of a mechanism says, in this order.
var labels = []string{"Domain:", "Neighbours:", "Theorem.", "Numerics:", "Proof:", "Audit:", "Reference:"}

// digest returns what a proof records of the code it was read against.
func digest(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])[:12]
}

// proofs returns the proofs: all Markdown files in mech, and whatever begins
// like a proof elsewhere.
func proofs(t *tree) []string {
	return slices.DeleteFunc(t.withExt(".md"), func(p string) bool {
		return path.Dir(p) != "promise/mech" && !strings.HasPrefix(t.text[p], "Proves ")
	})
}

// stale finds proofs that are not those of the code beside them.
func stale(t *tree) []string {
	var found []string
	for _, p := range proofs(t) {
		first, rest, _ := strings.Cut(t.text[p], "\n")
		if !firstLine.MatchString(first) {
			found = append(found, p+`: first line must be "Proves NAME.go@DIGEST", with several files separated by ", "; name the files, then run `+"`make proofs`")
			continue
		}
		for _, m := range proven.FindAllStringSubmatch(first, -1) {
			file := path.Join(path.Dir(p), m[1])
			code, ok := t.text[file]
			switch {
			case !ok:
				found = append(found, fmt.Sprintf("%s proves %s, which does not exist", p, file))
			case digest(code) != m[2]:
				found = append(found, fmt.Sprintf("%s changed since %s was read: reread the proof, then run `make proofs`", file, p))
			}
		}
		for _, h := range headings {
			if !regexp.MustCompile(`(?m)^#+ ` + h + `\s*$`).MatchString(rest) {
				found = append(found, fmt.Sprintf("%s has no heading %q", p, h))
			}
		}
	}
	return found
}

// restamp returns a proof with the digests of the files that it names, as they
// are now. Nothing else changes, and a file that does not exist keeps its own.
func restamp(t *tree, proof string) string {
	first, rest, _ := strings.Cut(t.text[proof], "\n")
	if !unstamped.MatchString(first) {
		return t.text[proof]
	}
	first = proven.ReplaceAllStringFunc(first, func(m string) string {
		name, _, _ := strings.Cut(m, "@")
		if code, ok := t.text[path.Join(path.Dir(proof), name)]; ok {
			return name + "@" + digest(code)
		}
		return m
	})
	return first + "\n" + rest
}

// mechanism is a type of package mech that can privatize.
type mechanism struct {
	name string
	doc  string // on one line
	spec *ast.TypeSpec
}

// mechanisms returns the types with a method Privatize, declared on them or on
// a type that they embed, and the files that declare the method. A type that
// is not exported counts only if no other embeds it.
func mechanisms(t *tree) (types []mechanism, files []string) {
	releases := map[string]bool{"dp.Mechanism": true, "dp.Vector": true} // types with the method
	var specs []mechanism
	for _, s := range t.code {
		if s.isTest() || s.dir() != "promise/mech" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.Name == "Privatize" {
					releases[receiver(d)] = true
					files = append(files, s.path)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						doc := strings.Join(strings.Fields(typeDoc(d, spec).Text()), " ")
						specs = append(specs, mechanism{spec.Name.Name, doc, spec})
					}
				}
			}
		}
	}
	embedded := map[string]bool{}
	for range specs { // once for each level of embedding there can be
		for _, m := range specs {
			for _, name := range embeds(m.spec) {
				if releases[name] {
					embedded[name] = true
					releases[m.name] = true
				}
			}
		}
	}
	for _, m := range specs {
		_, abstract := m.spec.Type.(*ast.InterfaceType)
		if releases[m.name] && !abstract && (m.spec.Name.IsExported() || !embedded[m.name]) {
			types = append(types, m)
		}
	}
	return types, slices.Compact(slices.Sorted(slices.Values(files)))
}

// embeds returns the names of the types that a struct or an interface embeds.
func embeds(spec *ast.TypeSpec) []string {
	var fields *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return nil
	}
	var names []string
	for _, f := range fields.List {
		if len(f.Names) == 0 {
			names = append(names, baseName(f.Type))
		}
	}
	return names
}

// unproven finds mechanisms whose comment does not say all it must, or names a
// proof or an audit that is not there.
func unproven(t *tree) []string {
	proves := map[string][]string{} // by proof: the files it proves
	covered := map[string]bool{}
	for _, p := range proofs(t) {
		first, _, _ := strings.Cut(t.text[p], "\n")
		for _, m := range proven.FindAllStringSubmatch(first, -1) {
			file := path.Join(path.Dir(p), m[1])
			proves[p] = append(proves[p], file)
			covered[file] = true
		}
	}
	tests := testFunctions(t)
	types, files := mechanisms(t)
	var found []string
	for _, m := range types {
		for _, fault := range faults(t, m, proves, tests) {
			found = append(found, fmt.Sprintf("%s: %s: %s", t.at(m.spec), m.name, fault))
		}
	}
	for _, file := range files {
		if !covered[file] {
			found = append(found, file+" declares Privatize and no proof covers it")
		}
	}
	return found
}

// faults returns what is wrong with the comment of one mechanism.
func faults(t *tree, m mechanism, proves map[string][]string, tests map[string]bool) []string {
	var found []string
	rest := m.doc
	for _, label := range labels {
		_, after, ok := strings.Cut(rest, label)
		if !ok {
			return []string{fmt.Sprintf("comment has no %q, or not in the order %s", label, strings.Join(labels, " "))}
		}
		rest = after
	}
	if name := proofName.FindStringSubmatch(m.doc); name == nil {
		found = append(found, `comment names no proof ("Proof: name.md")`)
	} else {
		file, proof := t.fset.Position(m.spec.Pos()).Filename, path.Join("promise/mech", name[1])
		if _, ok := t.text[proof]; !ok {
			found = append(found, "its proof "+proof+" does not exist")
		} else if !slices.Contains(proves[proof], file) {
			found = append(found, "its proof "+proof+" does not prove "+file)
		}
	}
	names := auditName.FindStringSubmatch(m.doc)
	if names == nil {
		return append(found, `comment names no audit ("Audit: TestName")`)
	}
	for _, name := range testName.FindAllString(names[1], -1) {
		if !tests[name] {
			found = append(found, "its audit "+name+" does not exist")
		}
	}
	return found
}

// testFunctions returns the names of all tests in a tree.
func testFunctions(t *tree) map[string]bool {
	names := map[string]bool{}
	for _, s := range t.code {
		if !s.isTest() {
			continue
		}
		for _, f := range functions(s.file) {
			if f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// writeStamps restamps the proofs of this repository and says which ones.
func writeStamps(t *testing.T) {
	t.Helper()
	here := repository(t)
	for _, p := range proofs(here) {
		now := restamp(here, p)
		if now == here.text[p] {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(p)), []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		here.text[p] = now
		t.Logf("%s: stamped", p)
	}
}

func TestProofs(t *testing.T) {
	if *stamp {
		writeStamps(t)
	}

	const code = "package mech\n"
	sections := "\n# Response\n"
	for _, h := range headings {
		sections += "\n## " + h + "\n\nText.\n"
	}
	good := "Proves a.go@" + digest(code) + "\n" + sections
	enforce(t, stale, []example{
		{
			name:  "read",
			files: map[string]string{"promise/mech/a.go": code, "promise/mech/a.md": good, "README.md": "# Not a proof\n"},
		},
		{
			name: "two files",
			files: map[string]string{
				"promise/mech/a.go": code, "promise/mech/b.go": code,
				"promise/mech/a.md": "Proves a.go@" + digest(code) + ", b.go@" + digest(code) + "\n" + sections,
			},
		},
		{
			name:  "changed",
			files: map[string]string{"promise/mech/a.go": code + "\n", "promise/mech/a.md": good},
			want:  "promise/mech/a.go changed since promise/mech/a.md was read: reread the proof, then run `make proofs`",
		},
		{
			name:  "changed in another package",
			files: map[string]string{"promise/noise/a.go": code + "\n", "promise/noise/a.md": good},
			want:  "promise/noise/a.go changed since promise/noise/a.md was read",
		},
		{
			name:  "second file changed",
			files: map[string]string{"promise/mech/a.go": code, "promise/mech/b.go": code + "\n", "promise/mech/a.md": "Proves a.go@" + digest(code) + ", b.go@" + digest(code) + "\n" + sections},
			want:  "promise/mech/b.go changed since promise/mech/a.md was read",
		},
		{
			name:  "no code",
			files: map[string]string{"promise/mech/a.md": good},
			want:  "promise/mech/a.md proves promise/mech/a.go, which does not exist",
		},
		{
			name:  "no digest",
			files: map[string]string{"promise/mech/a.go": code, "promise/mech/a.md": "Proves a.go\n" + sections},
			want:  "promise/mech/a.md: first line must be",
		},
		{
			name:  "no heading",
			files: map[string]string{"promise/mech/a.go": code, "promise/mech/a.md": strings.Replace(good, "## Claim", "## Claims", 1)},
			want:  `promise/mech/a.md has no heading "Claim"`,
		},
	})
}

func TestRestamp(t *testing.T) {
	const code = "package mech\n"
	for _, tt := range []struct{ name, proof, want string }{
		{"old digest", "Proves a.go@000000000000\n\na.go@1\n", "Proves a.go@" + digest(code) + "\n\na.go@1\n"},
		{"no digest", "Proves a.go, b.go\n", "Proves a.go@" + digest(code) + ", b.go\n"},
		{"not a proof", "# About a.go\n", "# About a.go\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			small := &tree{text: map[string]string{"promise/mech/a.go": code, "promise/mech/a.md": tt.proof}}
			if got := restamp(small, "promise/mech/a.md"); got != tt.want {
				t.Errorf("restamp(%q) = %q, want %q", tt.proof, got, tt.want)
			}
		})
	}
}

func TestMechanisms(t *testing.T) {
	const doc = `// A is.
//
// Domain: all. Neighbours: any two.
//
// Theorem. It is private.
//
// Numerics: none.
//
// Proof: a.md. Audit: TestA. Reference: us.
`
	const method = "func (a *A) Privatize() {}\n"
	files := func(changes map[string]string) map[string]string {
		all := map[string]string{
			"promise/mech/a.go":        "package mech\n" + doc + "type A struct{}\n" + method,
			"promise/mech/a.md":        "Proves a.go@0\n",
			"audit/a_test.go":          "package audit_test\nfunc TestA() {}\n",
			"promise/mech/params.go":   "package mech\ntype Params struct{}\n",
			"promise/mech/own_test.go": "package mech_test\ntype fake struct{}\nfunc (fake) Privatize() {}\n",
		}
		maps.Copy(all, changes)
		return all
	}
	embedding := "package mech\n" + doc + "type A struct{ *base }\n"
	enforce(t, unproven, []example{
		{name: "complete", files: files(nil)},
		{
			name: "embedding",
			files: files(map[string]string{
				"promise/mech/a.go":    embedding,
				"promise/mech/base.go": "package mech\ntype base struct{}\nfunc (b *base) Privatize() {}\n",
				"promise/mech/a.md":    "Proves a.go@0, base.go@0\n",
			}),
		},
		{
			name: "embedding what no proof covers",
			files: files(map[string]string{
				"promise/mech/a.go":    embedding,
				"promise/mech/base.go": "package mech\ntype base struct{}\nfunc (b *base) Privatize() {}\n",
			}),
			want: "promise/mech/base.go declares Privatize and no proof covers it",
		},
		{
			name: "embedding without a comment",
			files: files(map[string]string{
				"promise/mech/b.go": "package mech\n// B is A.\ntype B struct{ A }\n",
			}),
			want: `promise/mech/b.go:3: B: comment has no "Domain:"`,
		},
		{
			name: "embedding an interface",
			files: files(map[string]string{
				"promise/mech/b.go": "package mech\n// I is.\ntype I interface{ dp.Vector }\n// B wraps.\ntype B struct{ I }\n",
			}),
			want: `promise/mech/b.go:5: B: comment has no "Domain:"`,
		},
		{
			name:  "no theorem",
			files: files(map[string]string{"promise/mech/a.go": "package mech\n" + strings.Replace(doc, "Theorem.", "Remark.", 1) + "type A struct{}\n" + method}),
			want:  `A: comment has no "Theorem."`,
		},
		{
			name:  "no proof named",
			files: files(map[string]string{"promise/mech/a.go": "package mech\n" + strings.Replace(doc, "a.md", "obvious", 1) + "type A struct{}\n" + method}),
			want:  "A: comment names no proof",
		},
		{
			name:  "no such proof",
			files: files(map[string]string{"promise/mech/a.go": "package mech\n" + strings.Replace(doc, "a.md", "b.md", 1) + "type A struct{}\n" + method}),
			want:  "A: its proof promise/mech/b.md does not exist",
		},
		{
			name: "proof of other code",
			files: files(map[string]string{
				"promise/mech/a.md": "Proves params.go@0\n",
				"promise/mech/b.md": "Proves a.go@0\n",
			}),
			want: "A: its proof promise/mech/a.md does not prove promise/mech/a.go",
		},
		{
			name:  "no audit named",
			files: files(map[string]string{"promise/mech/a.go": "package mech\n" + strings.Replace(doc, "TestA", "none", 1) + "type A struct{}\n" + method}),
			want:  "A: comment names no audit",
		},
		{
			name:  "no such audit",
			files: files(map[string]string{"promise/mech/a.go": "package mech\n" + strings.Replace(doc, "TestA", "TestA and TestB", 1) + "type A struct{}\n" + method}),
			want:  "A: its audit TestB does not exist",
		},
	})
}
