package attack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sotto/command/clitest"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/promise/mech"
)

// pairs writes a folder of pairs in several parts, one of them empty, and the same rows
// as files: vectors before and after their release, and the attribute.
func pairs(t *testing.T) (dir, raw, released, attributes string) {
	t.Helper()
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Epsilon: 2, Dim: 3})
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	said := evidence.Pairs{Format: evidence.PairsFormat, Warning: "raw", Job: "j", Encoder: "hash:3", Attributes: []string{"age", "sex"}, Release: mech.NewRecord(m, "test")}
	r := weakrand.New(weakrand.NewPCG(3, 3))
	var x, y, a strings.Builder
	a.WriteString("sex\n")
	for k, rows := range []int{60, 0, 40} {
		var b bytes.Buffer
		w, failed := vecfile.NewWriter(&b, vecfile.Parquet, vecfile.WriterOptions{Width: 3, Raw: 3, Beside: said.Attributes})
		if failed != nil {
			t.Fatal(failed)
		}
		for range rows {
			z := r.IntN(2)
			before, after := []float32{float32(z), r.Float32(), r.Float32()}, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			sex := []string{"f", "m"}[z]
			if err = w.WritePairs(before, after, [][]vecfile.Field{{{Text: "7", Bare: true}, {Text: sex}}}); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&x, "%v,%v,%v\n", before[0], before[1], before[2])
			fmt.Fprintf(&y, "%v,%v,%v\n", after[0], after[1], after[2])
			a.WriteString(sex + "\n")
		}
		if err = w.Close(); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("part-%d.parquet", k)
		clitest.Write(t, filepath.Join(dir, name), b.String())
		sum, failed := evidence.HashFile(filepath.Join(dir, name))
		if failed != nil {
			t.Fatal(failed)
		}
		said.Rows, said.Parts = said.Rows+int64(rows), append(said.Parts, mech.Binding{File: name, SHA256: sum, Rows: int64(rows)})
	}
	content, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, evidence.PairsFile), string(content))
	return dir, clitest.TextFile(t, "x.csv", x.String()), clitest.TextFile(t, "y.csv", y.String()), clitest.TextFile(t, "a.csv", a.String())
}

// Pairs are attacked as the files that hold the same rows are, and the releases alone
// are promised anything.
func TestPairs(t *testing.T) {
	dir, raw, released, attributes := pairs(t)
	for _, tt := range []struct {
		pairs, files []string
		promised     bool
	}{
		{[]string{"--raw"}, []string{"--vectors", raw}, false},
		{nil, []string{"--vectors", released, "--epsilon", "2"}, true},
	} {
		got := infer(t, 0, append([]string{"--pairs", dir, "--column", "sex", "--mdl", "none"}, tt.pairs...)...)
		want := infer(t, 0, append([]string{"--attributes", attributes, "--column", "sex", "--mdl", "none"}, tt.files...)...)
		if !reflect.DeepEqual(got.Attackers, want.Attackers) || len(got.Attackers) == 0 || got.Attribute != "sex" || (got.Guarantee != nil) != tt.promised {
			t.Errorf("%v: the pairs gave %+v, the files %+v", tt.pairs, got, want)
		}
	}
	code, out, errs := clitest.Sotto(t, "", "attack", "entities", "--pairs", dir, "--column", "sex", "--json")
	if code != 0 || !strings.Contains(out, `"sex"`) {
		t.Errorf("entities: exit code %d, %s", code, errs)
	}
}

// Pairs that were changed, are not whole or have no such column are refused.
func TestPairsRefused(t *testing.T) {
	dir, raw, _, _ := pairs(t)
	record := filepath.Join(dir, evidence.PairsFile)
	whole, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args, record, want string
	}{
		{"--pairs " + dir, "", "must be told which by --column: one of age, sex"},
		{"--pairs " + dir + " --column sez", "", `did you mean "sex"`},
		{"--pairs " + dir + " --vectors " + raw, "", "--vectors has no meaning with --pairs"},
		{"--pairs " + dir + " --model m", "", "want --vectors and --attributes, --pairs, or --model"},
		{"--raw --vectors " + raw, "", "--raw is about --pairs"},
		{"--pairs " + t.TempDir() + " --column sex", "", "must be a folder that sotto-batch --pairs has finished"},
		{"--pairs " + dir + " --column sex", strings.Replace(string(whole), `"rows":100`, `"rows":101`, 1), "must be what the parts add up to"},
		{"--pairs " + dir + " --column sex", strings.Replace(string(whole), `"format":"sotto-pairs-1"`, `"format":"sotto-set-1"`, 1), "must be sotto-pairs-1"},
		{"--pairs " + dir + " --column sex", strings.Replace(string(whole), `part-0.`, `../part-0.`, 1), "one with a folder"},
		{"--pairs " + dir + " --column sex", strings.Replace(string(whole), `"job"`, `"jobs"`, 1), "jobs"},
		{"--pairs " + dir + " --column sex", strings.Replace(string(whole), `"sha256":"`, `"sha256":"0`, 1), "was changed or replaced"},
	} {
		content := tt.record
		if content == "" {
			content = string(whole)
		}
		clitest.Write(t, record, content)
		code, out, errs := clitest.Sotto(t, "", append([]string{"attack"}, strings.Fields(tt.args)...)...)
		if code != 2 || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit code %d, %q, want 2 and %q", tt.args, code, errs, tt.want)
		}
	}
}
