package docs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/gateway"
	"sotto/report"
	"sotto/report/evidence"
	"sotto/train/model"
)

var updateFields = flag.Bool("update", false, "write the table of fields into docs/guarantees.md")

// class is what a field that may leave tells of private data.
type class string

const (
	public    class = "public"    // it follows from settings, the lists of classes and columns, and the machine
	released  class = "released"  // it is a release, or computed from releases alone, under ε
	keyed     class = "keyed"     // it names private data by a key that stays
	uncovered class = "uncovered" // no guarantee covers it, and the artefact says so
	spent     class = "account"   // what was paid and counted, for whoever paid: not the content of a text
	trusted   class = "trusted"   // it stays on the trusted side
)

// artefact is something that may leave, with the class of each of its fields. A
// field that holds fields of its own has their class unless they are listed.
type artefact struct {
	name   string
	of     any
	fields map[string]class
}

// each gives the names of a list, parted by spaces, one class.
func each(c class, names string) map[string]class {
	all := map[string]class{}
	for _, n := range strings.Fields(names) {
		all[n] = c
	}
	return all
}

func classes(all ...map[string]class) map[string]class {
	one := map[string]class{}
	for _, m := range all {
		maps.Copy(one, m)
	}
	return one
}

// artefacts is the table.
func artefacts() []artefact {
	binding := classes(each(public, "file"), each(released, "sha256 rows"))
	return []artefact{
		{"record of releases, `X.privacy.json`", evidence.Encoded{}, classes(binding,
			each(public, "warning private encoder dim dropout mask release word_level no_model kept"),
			each(keyed, "model"), each(uncovered, "codes tells person uncovered"))},
		{"record of a set, `set.privacy.json`", evidence.Set{}, classes(
			each(public, "format job encoder dropout masks release word_level kept unbound numerics scheme"),
			each(keyed, "secret settings files"), each(released, "counts"), each(spent, "rows released left_out paid parts"))},
		{"head of a model, `manifest.json`", model.HeadManifest{}, classes(
			each(public, "format method interrupted labels receives assumption architecture tells"),
			each(keyed, "model"), each(uncovered, "weights"))},
		{"answer of the gateway, `privacy`", gateway.Privacy{}, classes(
			each(public, "mechanism unit epsilon delta assumptions noise scope against within dropout word_level tells"),
			each(keyed, "model"), each(uncovered, "parameters"), each(spent, "cost spent left spent_delta left_delta renews repeated paid"))},
	}
}

// labels are what Prometheus' labels and the keys of logs hold, beside numbers. A text, a
// vector, a secret or the name of a subject is none of them.
func labels() map[string]class {
	return classes(
		each(public, "model method kind unit route code status reason result part payment scope address admin keys production secret_made tls guarantee interrupted width"),
		each(keyed, "version identity before secret"), // of a secret its digest, as in records
		each(spent, "bytes entry"),                    // of the ledger
		each(trusted, "error"))                        // a sentence of this program, which quotes no text
}

// TestFieldsHaveClass walks what may leave: a field without a class fails, and so does
// a kind of evidence that the page does not name.
func TestFieldsHaveClass(t *testing.T) {
	var page strings.Builder
	for _, a := range artefacts() {
		fmt.Fprintf(&page, "\n**%s%s**\n\n| field | class |\n|---|---|\n", strings.ToUpper(a.name[:1]), a.name[1:])
		for _, name := range jsonFields(reflect.TypeOf(a.of)) {
			if a.fields[name] == "" {
				t.Errorf("%s: the field %s has no class, must have one of public, released, keyed, uncovered, account", a.name, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(a.fields)) {
			fmt.Fprintf(&page, "| `%s` | %s |\n", name, a.fields[name])
		}
	}
	fmt.Fprintf(&page, "\n**Labels of metrics, and keys of logs**\n\n| label or key | class |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(labels())) {
		fmt.Fprintf(&page, "| `%s` | %s |\n", name, labels()[name])
	}
	fmt.Fprintf(&page, "\n**Evidence, and the pages and exports made of it**\n\nEach kind stays on the trusted side, whole: accuracies and counts are uncovered, and every report says so at its end.\n\n")
	kinds := map[string]bool{}
	for _, k := range report.Kinds() {
		name := strings.TrimPrefix(fmt.Sprintf("%T", k), "evidence.Kind[")
		name = strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], "]")
		kinds["`"+strings.TrimPrefix(name, "sotto/")+"`"] = true
	}
	fmt.Fprintf(&page, "%s: %s\n", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "), trusted)
	held(t, page.String())
}

// held compares the table with the page, or writes it there.
func held(t *testing.T, table string) {
	t.Helper()
	const begin, end = "<!-- fields: begin -->\n", "<!-- fields: end -->"
	path := filepath.Join("..", "..", "docs", "guarantees.md")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(content), begin)
	was, after, both := strings.Cut(rest, end)
	if !ok || !both {
		t.Fatalf("docs/guarantees.md lacks the marks of the table, %s and %s", begin, end)
	}
	if *updateFields {
		if err = os.WriteFile(path, []byte(before+begin+table+"\n"+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if strings.TrimSpace(was) != strings.TrimSpace(table) {
		t.Error("the table of fields in docs/guarantees.md is another than the types have: go test ./internal/docs -run TestFieldsHaveClass -update")
	}
}

// jsonFields lists the names that a struct has in JSON, embedded ones included.
func jsonFields(of reflect.Type) []string {
	var all []string
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			all = append(all, jsonFields(inner)...)
		case f.IsExported() && name != "-":
			all = append(all, name)
		}
	}
	return all
}

// TestMetricsHaveClass reads the source of the services for what Prometheus and the log
// are told: no label and no key may be new without a class, so that none comes to hold a
// subject or a text unseen.
func TestMetricsHaveClass(t *testing.T) {
	known, seen := labels(), 0
	for _, dir := range []string{"gateway", "server", "internal/httpserve", "ledger", "internal/cli/serve"} {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, label := range labelsOf(call) {
					seen++
					if known[label] == "" {
						t.Errorf("%s: a metric or a log has the label %q, which has no class", path, label)
					}
				}
				return true
			})
		}
	}
	if seen < 3 {
		t.Errorf("%d labels were found, want those that there are", seen)
	}
}

// labelsOf lists the labels that a call gives a metric, and the keys that it gives a log.
func labelsOf(call *ast.CallExpr) []string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	var words []ast.Expr
	switch f.Sel.Name {
	case "NewDesc", "NewCounterVec", "NewGaugeVec", "NewHistogramVec":
		for _, a := range call.Args {
			if list, is := a.(*ast.CompositeLit); is {
				if _, is = list.Type.(*ast.ArrayType); is {
					words = append(words, list.Elts...)
				}
			}
		}
	case "Counter", "Gauge":
		words = call.Args[min(2, len(call.Args)):]
	case "Info", "Warn", "Error", "Debug":
		if receiver, is := f.X.(*ast.SelectorExpr); is && receiver.Sel.Name == "Log" {
			for i := 1; i < len(call.Args); i += 2 {
				words = append(words, call.Args[i])
			}
		}
	}
	var all []string
	for _, w := range words {
		if b, is := w.(*ast.BasicLit); is && b.Kind == token.STRING {
			label, _ := strconv.Unquote(b.Value)
			all = append(all, label)
		}
	}
	return all
}
