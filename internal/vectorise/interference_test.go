package vectorise_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sotto/dp"
	"sotto/encode"
	"sotto/encode/bert"
	"sotto/encode/catalogue"
	"sotto/encode/textfile"
	"sotto/internal/vecfile"
	"sotto/internal/vectorise"
	"sotto/language/mask"
	"sotto/nn/transformer/tiny"
	"sotto/text"
)

// message is a row of a person's: an id, a text, and whose it is.
type message struct{ id, text, who string }

// ordinary are rows that others must not change. What is not ASCII is rare in them, so that
// a single row could outvote it.
func ordinary() []message {
	var all []message
	for i := range 23 {
		all = append(all, message{fmt.Sprint("m", i), []string{
			"A man is playing the guitar.", "The cat plays; no man is playing, the guitar is.", "Write to Ann Miller at ann@example.org",
			"Where is it? asked Rene | twice", "", "Anna Quill called 020 7946 0018 yesterday", "a\tman\tplays", "the guitar is, the guitar is",
			"the cat", strings.Repeat("a man is playing ", 40),
		}[i%10], fmt.Sprint("p", i%4)})
	}
	all[12].text, all[19].text = "\ufeffthe cat", "the café is 的 guitar"
	return all
}

// others are what stands in a row in place of its own text: what would tell a reader
// that guesses another encoding, delimiter, header, type, language or length.
var others = []string{
	"", strings.Repeat("caf\xe9 ", 30), "\xff", "\xff\xfea\x00b\x00", "\xef\xbb\xbfa man", "a;b;c;d", "a\tb", "a|b|c", `he said "no"`, `"`, "\"\"\"", "1", "2.5e3",
	"a\nb\r\nc\rd", "\x00", strings.Repeat("\x00", 4000), strings.Repeat("guitar ", 150_000), "Der Mann spielt Gitarre, und die Katze schläft auf dem Sofa.",
	"男は公園でギターを弾いています", "[1,2]", `{"text":"a man"}`, "__label__x a man", "PK\x03\x04", "\x1f\x8b\x08\x00", "PAR1", "\x93NUMPY", "id,text,who",
	"Dr Anna Miller and ann@example.org, Ann Miller's friend", "\x01\x02\x03\x04\x05\x06\x07", "Miller",
}

// without replaces characters for which a format has no place.
func without(not string) func(string) string {
	var pairs []string
	for _, r := range not {
		pairs = append(pairs, string(r), " ")
	}
	return strings.NewReplacer(pairs...).Replace
}

// form is a format with a writer that conforms to it.
type form struct {
	name, file string
	o          textfile.Options
	write      func(t *testing.T, path string, rows []message)
}

func forms() []form {
	file := func(write func(b *bytes.Buffer, rows []message)) func(*testing.T, string, []message) {
		return func(t *testing.T, path string, rows []message) {
			t.Helper()
			var b bytes.Buffer
			write(&b, rows)
			if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	table := func(comma rune, header, crlf bool) func(*testing.T, string, []message) {
		return file(func(b *bytes.Buffer, rows []message) {
			w := csv.NewWriter(b)
			w.Comma, w.UseCRLF = comma, crlf
			if header {
				w.Write([]string{"id", "text", "who"}) //nolint:errcheck // into memory
			}
			for _, r := range rows {
				w.Write([]string{r.id, r.text, r.who}) //nolint:errcheck // into memory
			}
			w.Flush()
		})
	}
	lines, fields := without("\n\r"), without("\n\r\t")
	return []form{
		{"csv", "in.csv", textfile.Options{Column: "text"}, table(',', true, false)},
		{"csv of another system", "in.csv", textfile.Options{Column: "text"}, table(',', true, true)},
		{"csv with semicolons", "in.csv", textfile.Options{Column: "text", Delimiter: ';'}, table(';', true, false)},
		{"csv without a header", "in.csv", textfile.Options{Column: "2", NoHeader: true}, table(',', false, false)},
		{"csv in Latin-1", "in.csv", textfile.Options{Column: "text", Encoding: "latin-1"}, table(',', true, false)},
		{"tsv", "in.tsv", textfile.Options{Column: "text"}, file(func(b *bytes.Buffer, rows []message) {
			b.WriteString("id\ttext\twho\n")
			for _, r := range rows {
				b.WriteString(r.id + "\t" + fields(r.text) + "\t" + r.who + "\n")
			}
		})},
		{"text", "in.txt", textfile.Options{}, file(func(b *bytes.Buffer, rows []message) {
			for _, r := range rows {
				b.WriteString(lines(r.text) + "\n")
			}
		})},
		{"fastText", "in.txt", textfile.Options{Format: textfile.FastText}, file(func(b *bytes.Buffer, rows []message) {
			for _, r := range rows {
				b.WriteString("__label__x " + lines(r.text) + "\n")
			}
		})},
		{"jsonl", "in.jsonl", textfile.Options{Column: "text"}, file(func(b *bytes.Buffer, rows []message) {
			for i, r := range rows {
				line, _ := json.Marshal(map[string]any{"id": r.id, "text": r.text, "who": r.who, fmt.Sprint("own", i): r.text}) //nolint:errchkjson // strings
				b.Write(append(line, '\n'))
			}
		})},
		{"parquet", "in.parquet", textfile.Options{Column: "text"}, func(t *testing.T, path string, rows []message) {
			t.Helper()
			type row struct {
				ID   string `parquet:"id"`
				Text string `parquet:"text,dict"`
				Who  string `parquet:"who"`
			}
			all := make([]row, len(rows))
			for i, r := range rows {
				all[i] = row{r.id, r.text, r.who}
			}
			if err := parquet.WriteFile(path, all); err != nil {
				t.Fatal(err)
			}
		}},
		{"folder", "in", textfile.Options{}, func(t *testing.T, path string, rows []message) {
			t.Helper()
			for _, r := range rows {
				if err := os.MkdirAll(filepath.Join(path, r.who), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(path, r.who, r.id+".txt"), []byte(r.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}},
	}
}

// seen is a mechanism that keeps what it is given, by the place of the row.
type seen struct{ dim int }

func (m seen) Shape() (in, out int)  { return m.dim, m.dim }
func (seen) Guarantee() dp.Guarantee { return dp.None(dp.Text) }
func (m seen) Privatize(x []float64, _ rand.Source) ([]float64, error) {
	return slices.Clone(x), nil
}

func (m seen) PrivatizeTo(dst, x []float64, _ rand.Source) error {
	copy(dst, x)
	return nil
}

// given returns what a mechanism is given for each row of a file.
func given(t *testing.T, path string, o textfile.Options, e encode.Source, maskers []text.Masker, workers int) [][]float64 {
	t.Helper()
	in, err := textfile.OpenDeclared(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var b bytes.Buffer
	out, err := vecfile.NewWriter(&b, vecfile.JSONL, vecfile.WriterOptions{Width: e.Dim()})
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float64
	_, err = vectorise.Run(t.Context(), vectorise.Job{
		In: in, Encoder: e, Maskers: maskers, Mechanism: seen{e.Dim()}, Workers: workers, Out: out,
		Written: func(_ int64, _ []float32, y []float64) { all = append(all, slices.Clone(y)) },
	})
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	return all
}

// small is a transformer with random weights.
func small(t *testing.T) encode.Source {
	t.Helper()
	dir := t.TempDir()
	if err := tiny.Small().Write(dir); err != nil {
		t.Fatal(err)
	}
	m, err := bert.Open(dir, bert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestNonInterference: whatever stands in one row, and wherever, what a mechanism is given
// of every other row is the same to the bit, for every reader.
func TestNonInterference(t *testing.T) {
	hash, err := encode.NewHash(16)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forms() {
		t.Run(f.name, func(t *testing.T) { interfere(t, f, hash, nil, others) })
	}
}

// TestNonInterferenceOfMasks is the same where parts are masked: no masker remembers what
// another text has told it.
func TestNonInterferenceOfMasks(t *testing.T) {
	hash, err := encode.NewHash(16)
	if err != nil {
		t.Fatal(err)
	}
	for policy, secret := range map[mask.Policy][]byte{mask.Tag: nil, mask.Pseudonym: bytes.Repeat([]byte{7}, 32)} {
		m, err := mask.Open("types:all", policy, secret)
		if err != nil {
			t.Fatal(err)
		}
		short := slices.DeleteFunc(slices.Clone(others), func(s string) bool { return len(s) > 1000 })
		interfere(t, forms()[0], hash, []text.Masker{m, &text.NameList{}}, short)
	}
}

// TestNonInterferenceOfEncoders is the same for the built-in encoder and for a transformer,
// which computes texts together, whatever lengths the others have.
func TestNonInterferenceOfEncoders(t *testing.T) {
	builtin, err := catalogue.Open(t.Context(), catalogue.Said("default"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []encode.Source{builtin, small(t)} {
		interfere(t, forms()[0], e, nil, []string{"", "a", "caf\xe9", strings.Repeat("a man is playing the guitar ", 4000), "\x00", others[17]})
	}
}

// interfere replaces rows, the first and one in the middle, by others.
func interfere(t *testing.T, f form, e encode.Source, maskers []text.Masker, others []string) {
	t.Helper()
	rows := ordinary()
	path := filepath.Join(t.TempDir(), f.file)
	f.write(t, path, rows)
	want := given(t, path, f.o, e, maskers, 1)
	if len(want) != len(rows) {
		t.Fatalf("%d rows were read, want %d", len(want), len(rows))
	}
	for i, other := range slices.Concat(others, others) {
		at := []int{0, 11}[i/len(others)]
		if at > 0 && len(other) > 100_000 {
			continue // once is enough
		}
		changed := slices.Clone(rows)
		changed[at].text = other
		path := filepath.Join(t.TempDir(), f.file)
		f.write(t, path, changed)
		got := given(t, path, f.o, e, maskers, 1+i%3)
		if len(got) != len(want) {
			t.Fatalf("row %d is %.20q: %d rows are read, want %d", at, other, len(got), len(want))
		}
		place := at
		if f.name == "folder" { // in the order of names
			place = placeOf(rows, at)
		}
		for k := range want {
			if k != place && !slices.Equal(got[k], want[k]) {
				t.Fatalf("row %d is %.20q, and row %d is read otherwise", at, other, k)
			}
		}
	}
}

// placeOf returns where a row stands in a folder.
func placeOf(rows []message, at int) int {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.who + "/" + r.id
	}
	name := names[at]
	slices.Sort(names)
	return slices.Index(names, name)
}

// TestGuessedIsRefused: no file goes through a mechanism that was read by a guess.
func TestGuessedIsRefused(t *testing.T) {
	_, _, err := run(t, "", func(j *vectorise.Job) {
		in, err := textfile.NewReader(strings.NewReader("a\n"), textfile.Options{Format: textfile.Text})
		if err != nil {
			t.Fatal(err)
		}
		j.In = in
	})
	if err == nil || !strings.Contains(err.Error(), "must be declared") {
		t.Errorf("error = %v, want one that says that the form must be declared", err)
	}
}
