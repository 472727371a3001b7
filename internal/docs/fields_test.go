package docs_test

import (
	"cmp"
	"encoding/json"
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

	core "sotto/command"
	"sotto/evidence"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/report"
	"sotto/service/gateway"
	bias "sotto/study/bias/command"
	"sotto/study/errors"
	mistakes "sotto/study/errors/command"
	explain "sotto/study/explain/command"
	influence "sotto/study/influence/command"
	language "sotto/study/language/command"
	link "sotto/study/link/command"
	relation "sotto/study/relation/command"
	reproduce "sotto/study/reproduce/command"
	"sotto/text/encode/cells"
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

// artefact is something that may leave, or a part of such, with the class of each of its
// fields. A field that holds fields of its own has none: they have, as a part.
type artefact struct {
	name   string
	of     any
	fields map[string]class
}

// names lists the fields of an artefact as JSON has them.
func (a artefact) names() []string {
	own := []string{}
	switch a.of.(type) {
	case mech.Params, gateway.Parameters: // beside their fields stand a mechanism's own
		for _, p := range mech.Parameters() {
			if !p.Hidden {
				own = append(own, p.Name)
			}
		}
	}
	return append(jsonFields(reflect.TypeOf(a.of)), own...)
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
	binding := classes(each(public, "file"), each(released, "sha256"), each(spent, "rows"))
	return []artefact{
		{"record of releases, `X.privacy.json` of `sotto encode`", evidence.Encoded{}, classes(binding,
			each(public, "warning private encoder dim dropout mask no_model kept"),
			each(keyed, "model"), each(uncovered, "tells uncovered"))},
		{"record of releases, `X.privacy.json` of `sotto privatize`, and `release` of others", mech.Record{}, classes(binding,
			each(public, "tool claimed reason noise scope against"))},
		{"record of a set, `set.privacy.json`", evidence.Set{}, classes(
			each(public, "format job encoder dropout masks kept unbound numerics scheme"),
			each(keyed, "secret settings files"), each(released, "counts"), each(spent, "rows released left_out"))},
		{"`parts` of a set", evidence.Part{}, classes(each(public, "file"), each(released, "counts sha256"), each(uncovered, "rows"), each(spent, "read left_out skipped"), each(trusted, "empty masked"))},
		{"`paid` of a set", evidence.Paid{}, each(spent, "users releases exhausted")},
		{"`mechanism` and `parameters` of all", mech.Params{}, classes(
			each(public, "mechanism variant epsilon delta alpha bits cells_sha256 classes clip codewords input_dim lambda output_dim seed"),
			each(uncovered, "dim selected weights"))}, // of a fitted channel
		{"`guarantee`, `word_level`, `optimal` and `together` of all", dp.Guarantee{}, classes(
			each(public, "unit epsilon delta"), each(uncovered, "assumptions"))}, // that rows were trained on, or left out
		{"`person` of a record", dp.Person{}, classes(each(public, "column scope"), each(uncovered, "rows left_out epsilon delta"))},
		{"`linked` of a person", dp.Linked{}, classes(each(public, "columns by estimate"), each(uncovered, "clusters epsilon_in_two delta_in_two"))},
		{"`codes` of a record", evidence.Saying{}, each(uncovered, "code classes")}, // of a fitted channel
		{"head of a model, `manifest.json`", model.HeadManifest{}, classes(
			each(public, "format method interrupted assumption tells"), each(keyed, "model"), each(uncovered, "weights"))},
		{"`labels` of a head", model.LabelRecord{}, each(public, "name classes")},
		{"`architecture` of a head", model.Architecture{}, classes(
			each(public, "inputs classifier classes more channel"),
			each(trusted, "standardise encoder scaling constant answers importance groups"))}, // a head that has them is refused
		{"`receives` of a head", mech.Statement{}, classes(
			each(public, "mechanism variant dropout unit claimed true delta text_level text_delta reason assumptions"), each(uncovered, "facts"))},
		{"`witness` of what a head receives", mech.StatedWitness{}, each(uncovered, "event attained")},
		{"signature, `X.minisig`", signature{}, classes(each(public, "key comment"), each(uncovered, "signature"))},
		{"list of a signed head, `SHA256SUMS`", list{}, classes(each(public, "files bytes"), each(uncovered, "sha256"))},
		{"answer of the gateway, `privacy`", gateway.Privacy{}, classes(
			each(public, "mechanism unit epsilon delta assumptions noise scope against within dropout tells"),
			each(keyed, "model"), each(spent, "cost spent left spent_delta left_delta renews repeated paid"))},
		{"`parameters` of an answer", gateway.Parameters{}, classes(
			each(public, "mechanism variant epsilon delta alpha bits cells_sha256 classes clip codewords input_dim lambda output_dim seed"),
			each(uncovered, "dim selected weights weight_sum weights_sha256"))},
		{"counts of `sotto errors --epsilon`", errors.Released{}, classes(
			each(public, "format epsilon neighbours assumption rows_per_person scale"))},
		{"`counts` of those", errors.Count{}, classes(each(public, "rule"), each(released, "right wrong error_rate"))},
		{"`conditions` of a count", errors.Condition{}, each(public, "feature above at_most")},
		{"head of a file of cells made with `--private`", cells.Head{}, classes(
			each(public, "format encoder encoder_sha256 dim texts notice"))},
		{"`private` of that", cells.Private{}, each(public, "neighbours of")},
		{"`labelled` of that, which is the public cells'", cells.Labelled{}, each(public, "texts weight about agreeing direction")},
		{"`sets` of that", cells.Made{}, classes(each(public, "epsilon"), each(released, "cells cells_sha256"))},
		{"`chosen` and `tried` of a set, from the counts with noise", cells.Trial{}, each(released, "cells distortion kept whitened")},
		{"`channel` of a set, of public texts alone", cells.Channel{}, each(public, "texts distortion bound")},
	}
}

// kinds says of each kind of evidence what it is: something that may leave and is in the
// table, or whole on the trusted side.
func kinds() map[string]class {
	return classes(
		each(released, "evidence.Release evidence.Set errors.Released cells.Head"),
		each(trusted, `aec.Result attack.Result report.PublishedTable decoder.Result decoy.Result direction.Report erase.Report
			errors.Result estimate.MeanResult estimate.Result evidence.Audit evidence.Fairness experiment.Evaluation
			experiment.Picture experiment.Result commands.Result estimate.TrainedResult frontier.Result influence.BiasReport
			influence.Report judge.Result mention.Judged records.GraphOutcome records.Outcome judge.ModelResult plan.Result reproduce.PrivEmb
			reproduce.STSB reproduce.SentEval retrieval.Result shares.Result judge.SheetResult command.Summary unseen.Result weat.Report`))
}

// answers are the fields that services answer with, and that sotto explain --release
// tells, but for those of `privacy`.
func answers() map[string]class {
	return classes(
		each(public, `object type param message error code unit window model model_name model_version version owned_by created
			name dimensions numbers release mechanism variant parameters state`),
		each(public, "of label class datatype shape private guarantee"),
		each(released, "index data means word speaks told inputs outputs"),
		each(spent, `id usage prompt_tokens total_tokens granted spent left renews lifetime lifetime_limit together asked
			asked_delta subject who reason privacy epsilon delta`),
		each(trusted, `text words pieces applied before after hit cosine read unread server
			encoder noise dropout numerics -`)) // of the gateway's page, which is for the trusted side, and what only the ledger holds
}

// signature and list are what the lines of their files hold. Whoever has one can try what
// was signed against it, and no more than what was signed tells of texts.
type (
	signature struct {
		Key       string `json:"key"` // its number
		Comment   string `json:"comment"`
		Signature string `json:"signature"` // of the file, and of that with the comment
	}
	list struct {
		Files  []string `json:"files"` // their names, and how many they are
		Bytes  int64    `json:"bytes"` // of all of them
		SHA256 []string `json:"sha256"`
	}
)

// labels are what Prometheus' labels and the keys of logs hold, beside numbers. A text, a
// vector or a secret is none of them.
func labels() map[string]class {
	return classes(
		each(public, `model method kind unit route code status reason result part payment scope address admin keys production secret_made tls guarantee interrupted width
			signed_by grpc models callers_identified encoder server database answering_for at_most clock`),
		each(keyed, "version identity before secret hash was_hash"),       // of a secret its digest, as in records
		each(spent, "bytes entry id key who when granted seq was_seq at"), // of the ledger, and of whose key it was
		each(trusted, "error took"))                                       // a sentence of this program, which quotes no text; and time, which no ε covers
}

// TestFieldsHaveClass walks what may leave: a field without a class fails, wherever it
// lies, and so do a class without a field and a kind of evidence that is not known.
func TestFieldsHaveClass(t *testing.T) {
	parts := map[reflect.Type]bool{}
	for _, a := range artefacts() {
		parts[reflect.TypeOf(a.of)] = true
	}
	var page strings.Builder
	page.WriteString("\n| of | class | fields |\n|---|---|---|\n")
	for _, a := range artefacts() {
		inner := inside(t, reflect.TypeOf(a.of), parts)
		for _, name := range a.names() {
			if (a.fields[name] == "") != inner[name] {
				t.Errorf("%s: the field %s has the class %q and fields of its own: %v; must have one of public, released, keyed, uncovered, account, or such fields", a.name, name, a.fields[name], inner[name])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(a.fields)) {
			if !slices.Contains(a.names(), name) {
				t.Errorf("%s: there is no field %s", a.name, name)
			}
		}
		rows(&page, a.name, a.fields)
	}
	rows(&page, "answers of gateway and server, and what `sotto explain --release` tells", answers())
	rows(&page, "labels of metrics, and keys of logs", labels())
	fmt.Fprintf(&page, "\n**Evidence, and the pages and exports made of it**, but for what is listed above, stays on the trusted side, whole: accuracies and counts are uncovered, and every report says so at its end.\n\n")
	var stay []string
	all := report.Kinds()
	for _, study := range []core.Study{mistakes.Study(), bias.Study(), explain.Study(), influence.Study(), language.Study(), link.Study(), relation.Study(), reproduce.Study()} {
		all = append(all, study.Kinds...)
	}
	for _, k := range all {
		name := strings.TrimPrefix(fmt.Sprintf("%T", k), "evidence.Kind[")
		name = strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], "]")
		name = strings.TrimPrefix(name, "sotto/")
		if c := kinds()[name]; c == "" {
			t.Errorf("evidence of the kind %s has no class: it is trusted, or each of its fields has one", name)
		} else if c == trusted {
			stay = append(stay, "`"+name+"`")
		}
	}
	slices.Sort(stay)
	fmt.Fprintf(&page, "%s: %s\n", strings.Join(slices.Compact(stay), ", "), trusted)
	held(t, page.String())
}

// rows writes a line for each class that fields have.
func rows(page *strings.Builder, of string, fields map[string]class) {
	for _, c := range []class{public, released, keyed, uncovered, spent, trusted} {
		var names []string
		for name, is := range fields {
			if is == c {
				names = append(names, "`"+name+"`")
			}
		}
		if slices.Sort(names); len(names) > 0 {
			fmt.Fprintf(page, "| %s | %s | %s |\n", of, c, strings.Join(names, " "))
			of = ""
		}
	}
}

// inside says which fields of a type hold fields of their own, and fails for those that
// are of a type of this module without a table.
func inside(t *testing.T, of reflect.Type, parts map[reflect.Type]bool) map[string]bool {
	all := map[string]bool{}
	for name, is := range jsonTypes(of) {
		for is.Kind() == reflect.Pointer || is.Kind() == reflect.Slice || is.Kind() == reflect.Map {
			is = is.Elem()
		}
		if is.Kind() != reflect.Struct || !strings.HasPrefix(is.PkgPath(), "sotto/") {
			continue
		}
		_, whole := reflect.New(is).Interface().(json.Marshaler) // as one value
		if all[name] = parts[is]; !parts[is] && !whole {
			t.Errorf("%v: the field %s is of the type %v, whose fields have no class", of, name, is)
		}
	}
	return all
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
func jsonFields(of reflect.Type) []string { return slices.Sorted(maps.Keys(jsonTypes(of))) }

// jsonTypes returns the types of the fields that a struct has in JSON.
func jsonTypes(of reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			maps.Copy(all, jsonTypes(inner))
		case f.IsExported() && name != "-":
			all[cmp.Or(name, f.Name)] = f.Type
		}
	}
	return all
}

// TestAnswersHaveClass reads the source of what answers: no field may be new without a
// class, also of a type that is nobody else's.
func TestAnswersHaveClass(t *testing.T) {
	known, seen := answers(), map[string]bool{}
	for _, name := range (artefact{of: gateway.Privacy{}}).names() {
		seen[name] = true
	}
	for _, name := range (artefact{of: gateway.Parameters{}}).names() {
		seen[name] = true
	}
	for _, pattern := range []string{"service/gateway/*.go", "service/server/*.go", "service/server/kserve/*.go", "service/httpserve/*.go", "study/explain/release.go", "study/explain/command/release.go"} {
		sources(t, pattern, func(path string, n ast.Node) {
			f, ok := n.(*ast.Field)
			if !ok || f.Tag == nil {
				return
			}
			tag, _ := strconv.Unquote(f.Tag.Value)
			name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			if name != "" && known[name] == "" && !seen[name] {
				t.Errorf("%s: an answer has the field %q, which has no class", path, name)
			}
			seen["has "+name] = true
		})
	}
	for name := range known {
		if !seen["has "+name] {
			t.Errorf("no answer has the field %q, which has a class", name)
		}
	}
}

// sources calls f with each node of the sources of a pattern, but for tests.
func sources(t *testing.T, pattern string, f func(path string, n ast.Node)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", pattern, err)
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
			f(path, n)
			return true
		})
	}
}

// TestMetricsHaveClass reads the source of the services for what Prometheus and the log
// are told: no label and no key may be new without a class, so that none comes to hold a
// subject or a text unseen.
func TestMetricsHaveClass(t *testing.T) {
	known, seen := labels(), 0
	for _, dir := range []string{"service/gateway", "service/server", "service/httpserve", "service/ledger", "command/serve"} {
		sources(t, dir+"/*.go", func(path string, n ast.Node) {
			for _, label := range labelsOf(n) {
				seen++
				if known[label] == "" {
					t.Errorf("%s: a metric or a log has the label %q, which has no class", path, label)
				}
			}
		})
	}
	if seen < 3 {
		t.Errorf("%d labels were found, want those that there are", seen)
	}
}

// labelsOf lists the labels that a node gives a metric, and the keys that it gives a log:
// a call, or a list of keys and values.
func labelsOf(n ast.Node) []string {
	var words []ast.Expr
	name, call, f := "", &ast.CallExpr{}, &ast.SelectorExpr{}
	switch n := n.(type) {
	case *ast.CompositeLit:
		if a, is := n.Type.(*ast.ArrayType); is {
			if of, named := a.Elt.(*ast.Ident); named && of.Name == "any" {
				for i := 0; i < len(n.Elts); i += 2 {
					words = append(words, n.Elts[i])
				}
			}
		}
	case *ast.CallExpr:
		if of, is := n.Fun.(*ast.SelectorExpr); is {
			name, call, f = of.Sel.Name, n, of
		}
	}
	switch name {
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
	case "Info", "Warn", "Error", "Debug": // of whichever logger, after what is said; an error's Error has none
		for i := 1; i < len(call.Args); i += 2 {
			words = append(words, call.Args[i])
		}
	default:
		if from, is := f.X.(*ast.Ident); is && from.Name == "slog" && len(call.Args) == 2 {
			words = call.Args[:1]
		}
	}
	var all []string
	for _, w := range words {
		if b, is := w.(*ast.BasicLit); is && b.Kind == token.STRING {
			label, _ := strconv.Unquote(b.Value)
			if label == strings.ToLower(label) { // or else it is the head of a table that is printed
				all = append(all, label)
			}
		}
	}
	return all
}
