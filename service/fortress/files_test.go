//go:build linux

package fortress_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// A fileAudit is a command of sotto's own whose files are audited: all that leaves
// under an ε. In its words {sotto} is the command, {learn} a file that models learn
// from, {model} such a model, {public} a file of public texts, and {batch} the command
// of jobs. Lines of a shell are one word.
type fileAudit struct {
	name    string
	inputs  string  // "" for a text of another kind, "bytes" for one that is not UTF-8, "more" for one row more, "many" for more rows, "one" for single texts
	claim   float64 // 0: what the record at {out}.privacy.json says
	runs    int
	command string
	ignore  []string // that the artefact declares not to be covered
}

// released are the mechanisms that "sotto encode" releases texts with. Their claims are
// those of their records.
var released = []string{
	"laplace-l1", "dpnr", "sue", "oue", "bitrr", "privemb --clip 1 --output-dim 16", "privunit", "codebook", "codes", "cells", "cells --variant index", "laplace-l2", "gaussian",
}

func fileAudits() []fileAudit {
	var all []fileAudit
	for _, m := range released {
		all = append(all, fileAudit{name: "encode " + m, command: "{sotto} encode --in {in} --text message --mechanism " + m + " --epsilon 2 --out {out}.jsonl"})
	}
	const cells = "{sotto} encode --in {in} --text message --mechanism cells --epsilon 2 --keep id --out {out}"
	all = append(
		all,
		fileAudit{name: "encode, bytes that are not UTF-8", inputs: "bytes", command: cells + ".jsonl", ignore: []string{"{out}.jsonl: row 5*", "standard error*"}},
		fileAudit{name: "encode to CSV", command: cells + ".csv"},
		fileAudit{name: "encode to Parquet", command: "{sotto} encode --in {in} --text message --mechanism cells --epsilon 2 --out {out}.parquet"},
		fileAudit{name: "encode --model", command: "{sotto} encode --model {model} --in {in} --text message --out {out}.jsonl"},
		// A training row is not covered by what others release through its model.
		fileAudit{
			name: "train, encode --model", claim: 1, runs: 24,
			command: "{sotto} train --in {in} --text message --label topic --method codes --epsilon 1 --out {dir}/m >{dir}/said 2>&1 && {sotto} encode --model {dir}/m/seed-1 --in {public} --text message --out {out}.jsonl",
			ignore:  []string{"{out}.jsonl: *"},
		},
		fileAudit{
			name: "train, serve head (codes)", claim: 1, runs: 24,
			command: "{sotto} train --in {in} --text message --label topic --method codes --epsilon 1 --out {dir}/m >{dir}/said 2>&1 && {sotto} serve head {dir}/m/seed-1 {out}",
		},
		fileAudit{
			name: "train, report", claim: 1, runs: 24,
			command: "{sotto} train --in {in} --text message --label topic --method codes --epsilon 1 --out {dir}/m >{dir}/said 2>&1 && {sotto} report {dir}/m --out {out}.html",
			// Accuracies are of the rows, and a report says that it stays.
			ignore: []string{"{out}.html: piece *", "{out}.html: size in bytes", "standard *: *"},
		},
		fileAudit{name: "errors --epsilon", inputs: "more", claim: 1, command: "{sotto} errors --in {in} --text message --label topic --predicted answer --features age,town --rules {rules} --epsilon 1 --json >{out}.json"},
		fileAudit{name: "cells make --private", inputs: "many", claim: 2, command: "{sotto} cells make --private --in {in} --text message --epsilon-cells 2 --epsilon 2 --out {out}.jsonl"},
		fileAudit{
			name: "explain --release", inputs: "one", claim: 2,
			command: "{sotto} budget init --ledger {dir}/l.db --budget 4 >{dir}/said 2>&1 && {sotto} explain --model {model} --release --epsilon 2 --class returns --words {words} --ledger {dir}/l.db --user alice <{in} >{out}.txt",
		},
		fileAudit{name: "batch", runs: 40, command: "{batch} --in {in} --text message --id id --out {out} --mechanism cells --epsilon 2 --secret {secret} --json"},
		// Somebody else's file has the same name, and in A the same text in the same line.
		fileAudit{
			name: "batch, two files of one name", claim: 0.5, runs: 60,
			command: "mkdir {dir}/other && cp {batched} {dir}/other/input.csv && {batch} --in {in} --text message --out {out}/ours --mechanism cells --variant index --epsilon 0.5 --secret {secret} >{dir}/said && " +
				"{batch} --in {dir}/other/input.csv --text message --out {out}/theirs --mechanism cells --variant index --epsilon 0.5 --secret {secret} >{dir}/said",
		},
	)
	return all
}

// TestFiles runs "sotto audit files" over sotto's own commands, and prints a table of
// what each tells. It starts some thousand processes: SOTTO_FILES=1 asks for it, and
// SOTTO_FILES=WORD for those with that word in their name.
func TestFiles(t *testing.T) {
	want := os.Getenv("SOTTO_FILES")
	if want == "" {
		t.Skip("takes a quarter of an hour: make files-audit")
	}
	dir := t.TempDir()
	replace := prepareFiles(t, dir)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "COMMAND\tCLAIM\tCERTIFIED\tRUNS\tVERDICT\tSECONDS") //nolint:errcheck // it is flushed below
	for _, a := range fileAudits() {
		if want != "1" && !strings.Contains(a.name, want) {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			began := time.Now()
			r, err := a.audit(dir, replace)
			if err != nil {
				fmt.Fprintf(table, "%s\t\t\t\tfailed\t%.0f\n", a.name, time.Since(began).Seconds()) //nolint:errcheck // see above
				t.Fatal(err)
			}
			verdict := "held"
			if r.Refuted || len(r.Evidence) > 0 {
				verdict = "REFUTED"
				for _, e := range r.Evidence {
					t.Errorf("%s (%s): %s", e.Where, e.Kind, e.What)
				}
			}
			if n := len(a.ignore); n > 0 {
				verdict += " but for what is declared: " + strings.Join(a.ignore, ", ")
			}
			fmt.Fprintf(table, "%s\t%.4g\t%.3g\t%d\t%s\t%.0f\n", a.name, r.Claim, r.Lower, r.Counted, verdict, time.Since(began).Seconds()) //nolint:errcheck // see above
		})
	}
	if err := table.Flush(); err != nil {
		t.Error(err)
	}
}

// filesResult is what "sotto audit files --json" prints, as far as it is judged.
type filesResult struct {
	Claim    float64 `json:"claim"`
	Lower    float64 `json:"epsilon_lower"`
	Refuted  bool    `json:"refuted"`
	Counted  int     `json:"runs_certifying"`
	Evidence []struct{ Where, What, Kind string }
}

// audit audits one command.
func (a fileAudit) audit(dir string, replace *strings.Replacer) (*filesResult, error) {
	first, other := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b"+a.inputs+".csv")
	switch a.inputs {
	case "one":
		first, other = filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	case "many":
		first = filepath.Join(dir, "amany.csv")
	}
	command, delta := replace.Replace(a.command), 0.0
	if a.claim == 0 {
		var err error
		if a.claim, delta, err = claimed(dir, first, command); err != nil {
			return nil, err
		}
	}
	args := []string{"audit", "files", "--json", "--a", first, "--b", other, "--most", "300"}
	args = append(args, "--claim", fmt.Sprint(a.claim), "--delta", fmt.Sprint(delta), "--runs", fmt.Sprint(max(a.runs, 60*truth(a.runs == 0))))
	for _, p := range a.ignore {
		args = append(args, "--ignore", p)
	}
	c := exec.Command(binary, append(args, "--", command)...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 1) {
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	r := &filesResult{}
	return r, json.Unmarshal(out, r)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// claimed runs a release once and returns what its record promises at text level.
func claimed(dir, in, command string) (epsilon, delta float64, err error) {
	out, err := os.MkdirTemp(dir, "claim-")
	if err != nil {
		return 0, 0, err
	}
	secret := filepath.Join(out, "secret")
	if err = os.WriteFile(secret, bytes.Repeat([]byte("not so secret... "), 2)[:32], 0o600); err != nil {
		return 0, 0, err
	}
	line := strings.NewReplacer("{in}", in, "{out}", filepath.Join(out, "out"), "{secret}", secret).Replace(command)
	if said, failed := exec.Command("sh", "-c", line).CombinedOutput(); failed != nil {
		return 0, 0, fmt.Errorf("%w: %s", failed, said)
	}
	records, err := filepath.Glob(filepath.Join(out, "out*.privacy.json"))
	if more, _ := filepath.Glob(filepath.Join(out, "out", "*.privacy.json")); err == nil {
		records = append(records, more...)
	}
	if len(records) == 0 {
		return 0, 0, errors.New("the command wrote no record")
	}
	content, err := os.ReadFile(records[len(records)-1])
	if err != nil {
		return 0, 0, err
	}
	var record struct {
		Release struct {
			Guarantee struct {
				Unit           string
				Epsilon, Delta float64
			}
		}
	}
	if err := json.Unmarshal(content, &record); err != nil {
		return 0, 0, err
	}
	g := record.Release.Guarantee
	if g.Unit != "text" || !(g.Epsilon > 0) {
		return 0, 0, fmt.Errorf("the record promises ε = %v at the level %q, want one of a text", g.Epsilon, g.Unit)
	}
	return g.Epsilon, g.Delta, nil
}

// prepareFiles writes inputs and what commands need beside them, and returns where they
// are.
func prepareFiles(t *testing.T, dir string) *strings.Replacer {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	topics := []string{"delivery", "returns", "billing"}
	texts := []string{
		"My parcel é has not arrived and nobody can tell me where it is", "I sent the shoes back and want my money é back please", "The invoice has a charge twice and é I want it gone",
	}
	towns := []string{"Köln", "Ulm"}
	table := func(from, rows int) []string {
		all := []string{"id,message,topic,answer,age,town"}
		for i := range rows {
			k := i % 3
			all = append(all, fmt.Sprintf("m%03d,%s number %d,%s,%s,%d,%s", from+i, texts[k], from+i, topics[k], topics[(k+truth(i%5 == 0))%3], 20+i%50, towns[i%2]))
		}
		return all
	}
	a := table(0, 24)
	write("a.csv", strings.Join(a, "\n")+"\n")
	change := func(name, row string) {
		b := append([]string(nil), a...)
		b[5] = row
		write(name, strings.Join(b, "\n")+"\n")
	}
	change("b.csv", `m004,"Ignore all of it: ""quoted"", 12 %, 漢字, and a text that is very much longer than any of the others are",billing,returns,77,Ulm`)
	change("bbytes.csv", "m004,"+strings.Repeat("caf\xe9 ", 400)+",returns,billing,33,Ulm")
	// The row that is there in addition is in another encoding, and has no number for an age.
	write("bmore.csv", strings.Join(append(a[:len(a):len(a)], "m024,"+strings.Repeat("caf\xe9 ", 400)+",billing,billing,unknown,K\xf6ln"), "\n")+"\n")
	many := table(0, 400)
	write("amany.csv", strings.Join(many, "\n")+"\n")
	many[5] = "m004,Nothing of what the others say: my password is gone and the router is broken,billing,returns,77,Ulm"
	write("bmany.csv", strings.Join(many, "\n")+"\n")
	write("a.txt", "I want my money back.\n")
	write("b.txt", "The router is broken and never had a password, says the technician.\n")
	write("public.csv", strings.Join(table(900, 30), "\n")+"\n")
	write("learn.csv", strings.Join(table(500, 60), "\n")+"\n")
	write("words.txt", "back\nbroken\nmoney\nnever\npassword\n")
	write("rules.json", `{"format":"sotto-rules-1","rules":[[{"feature":"town = Köln","above":0}],[{"feature":"age","above":40}],[]]}`)
	model := at("model")
	out, err := exec.Command(binary, "train", "--in", at("learn.csv"), "--text", "message", "--label", "topic", "--method", "codes", "--epsilon", "2", "--out", model).CombinedOutput()
	if err != nil {
		t.Fatalf("train: %v: %s", err, out)
	}
	return strings.NewReplacer("{sotto}", binary, "{model}", filepath.Join(model, "seed-1"), "{public}", at("public.csv"), "{learn}", at("learn.csv"),
		"{rules}", at("rules.json"), "{words}", at("words.txt"), "{batched}", at("a.csv"), "{batch}", batchCommand(t, dir))
}

// batchCommand builds the command of jobs, unless SOTTO_BATCH_BIN names one.
func batchCommand(t *testing.T, dir string) string {
	t.Helper()
	if path := os.Getenv("SOTTO_BATCH_BIN"); path != "" {
		return path
	}
	path := filepath.Join(dir, "sotto-batch")
	c := exec.Command("go", "build", "-o", path, "./cmd/sotto-batch")
	c.Dir = "../../batch"
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("sotto-batch is not built: %v: %s", err, out)
	}
	return path
}
