package vectorise_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
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
	"unicode/utf16"

	"github.com/parquet-go/parquet-go"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/vectorise"
	"sotto/promise/dp"
	"sotto/study/language/mask"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/bert"
	"sotto/text/encode/catalogue"
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
	"null", "true", "-", half, "a" + half, "\u2028\u0085\v\f", "=1+1", `\`, "\\N", strings.Repeat(`"",`, 100),
}

// half stands for half a character of UTF-16, which a writer of UTF-16 writes for it.
const half = "\ue000"

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
	plain := table(',', true, false)
	again := func(change func(content []byte) []byte) func(*testing.T, string, []message) {
		return func(t *testing.T, path string, rows []message) {
			t.Helper()
			plain(t, path, rows)
			content, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, change(content), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	lines, fields := without("\n\r"), without("\n\r\t")
	return []form{
		{"csv", "in.csv", textfile.Options{Column: "text"}, table(',', true, false)},
		{"csv of another system", "in.csv", textfile.Options{Column: "text"}, table(',', true, true)},
		{"csv with semicolons", "in.csv", textfile.Options{Column: "text", Delimiter: ';'}, table(';', true, false)},
		{"csv without a header", "in.csv", textfile.Options{Column: "2", NoHeader: true}, table(',', false, false)},
		{"csv in UTF-16", "in.csv", textfile.Options{Column: "text", Encoding: "utf-16"}, again(wide)},
		{"csv in gzip", "in.csv.gz", textfile.Options{Column: "text"}, again(zip)},
		{"csv in Latin-1", "in.csv", textfile.Options{Column: "text", Encoding: "latin-1"}, table(',', true, false)},
		{"tsv", "in.tsv", textfile.Options{Column: "text"}, file(func(b *bytes.Buffer, rows []message) {
			b.WriteString("id\ttext\twho\n")
			for _, r := range rows {
				b.WriteString(fields(r.id) + "\t" + fields(r.text) + "\t" + fields(r.who) + "\n")
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
				who := any(r.who)
				if json.Valid([]byte(r.who)) { // numbers, lists and null
					who = json.RawMessage(r.who)
				}
				line, _ := json.Marshal(map[string]any{"id": r.id, "text": r.text, "who": who, fmt.Sprint("own", i): r.text}) //nolint:errchkjson // valid
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

// wide writes UTF-16 with its mark.
func wide(content []byte) []byte {
	to := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(content))) {
		if u == 0xe000 {
			u = 0xd800
		}
		to = binary.LittleEndian.AppendUint16(to, u)
	}
	return to
}

// zip compresses.
func zip(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content) //nolint:errcheck // into memory
	w.Close()
	return b.Bytes()
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

// transformer is one with random weights, of sizes that all kernels compute.
func transformer(t *testing.T) encode.Source {
	t.Helper()
	dir := t.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		t.Fatal(err)
	}
	m, err := bert.Open(dir, bert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func hashed(t *testing.T) encode.Source {
	t.Helper()
	e, err := encode.NewHash(16)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestNonInterference: whatever stands in one row, in its text and beside it, and wherever
// it stands, what a mechanism is given of every other row is the same to the bit, for every
// reader.
func TestNonInterference(t *testing.T) {
	for _, f := range forms() {
		t.Run(f.name, func(t *testing.T) { interfere(t, f, ordinary(), hashed(t), nil, others) })
	}
}

// TestNonInterferenceOfMasks is the same where parts are masked: no masker remembers what
// another text has told it.
func TestNonInterferenceOfMasks(t *testing.T) {
	list, err := text.ParseMaskList(strings.NewReader("guitar\n/[0-9]+/\nmiller\n"))
	if err != nil {
		t.Fatal(err)
	}
	short := slices.DeleteFunc(slices.Clone(others), func(s string) bool { return len(s) > 1000 })
	interfere(t, forms()[0], ordinary(), hashed(t), []text.Masker{list, &text.NameList{}}, short)
	secret := bytes.Repeat([]byte{7}, 32)
	for i, tt := range []struct {
		policy mask.Policy
		secret []byte
	}{{mask.Tag, nil}, {mask.Remove, nil}, {mask.Pseudonym, nil}, {mask.Pseudonym, secret}, {mask.Fake, nil}, {mask.Fake, secret}} {
		m, err := mask.Open("types:all", tt.policy, tt.secret)
		if err != nil {
			t.Fatal(err)
		}
		some := short[i%2:] // each with some, since they look at every word
		if testing.Short() {
			some = some[len(some)/2:]
		}
		interfere(t, forms()[0], ordinary(), hashed(t), []text.Masker{m}, some)
	}
}

// TestNonInterferenceOfEncoders is the same for each kind of encoder: the built-in one, files
// of word vectors, and a transformer, which computes texts together, whatever lengths the
// others have, on the kernels of this machine and on those that run everywhere.
func TestNonInterferenceOfEncoders(t *testing.T) {
	some := []string{"", "a", "caf\xe9", strings.Repeat("a man is playing the guitar ", 4000), "\x00", others[17], "[CLS] ##ing [PAD] [unused0]"}
	check := func(t *testing.T, e encode.Source) {
		t.Helper()
		interfere(t, forms()[0], ordinary(), e, nil, some)
	}
	builtin, err := catalogue.Open(t.Context(), catalogue.Said("default"), "")
	if err != nil {
		t.Fatal(err)
	}
	words, err := encode.ReadWordVectors("words", strings.NewReader("the 1 0\ncat 0 2\nman -1 -0.5\nguitar 4 4\ncafé 3 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	check(t, builtin)
	check(t, words)
	for _, kernel := range []string{nn.NewPool(1).Kernel(), "portable"} {
		end, err := nn.Force(kernel)
		if err != nil {
			t.Fatal(err)
		}
		e := transformer(t)
		check(t, e)
		many := slices.Repeat(ordinary(), 2*2048/23) // more than are computed at a time
		interfere(t, forms()[0], many, e, nil, some[2:4])
		end()
	}
}

// interfere replaces rows, the first and one in the middle, by others, and writes them with
// some of the rows beside them, in another order.
func interfere(t *testing.T, f form, rows []message, e encode.Source, maskers []text.Masker, others []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	read := func(rows []message, order []int, workers int) map[int][]float64 {
		t.Helper()
		written := make([]message, len(order))
		for k, i := range order {
			written[k] = rows[i]
		}
		path := filepath.Join(t.TempDir(), f.file)
		f.write(t, path, written)
		if f.name == "folder" { // which is read in the order of names
			order = slices.Clone(order)
			slices.SortFunc(order, func(a, b int) int { return strings.Compare(rows[a].who+"/"+rows[a].id, rows[b].who+"/"+rows[b].id) })
		}
		all := given(t, path, f.o, e, maskers, workers)
		if len(all) != len(order) {
			t.Fatalf("%s: %d rows are read, want %d", f.name, len(all), len(order))
		}
		of := map[int][]float64{}
		for k, i := range order {
			of[i] = all[k]
		}
		return of
	}
	want := read(rows, nn.Indices(len(rows)), 1)
	for i, other := range slices.Concat(others, others) {
		at := []int{0, 11}[i/len(others)]
		if at > 0 && len(other) > 100_000 {
			continue // once is enough
		}
		changed := slices.Clone(rows)
		changed[at].text = other
		if f.name != "folder" {
			changed[at].id, changed[at].who = others[(i+7)%len(others)], others[(i+3)%len(others)]
		}
		order := nn.Indices(len(rows))
		if i%4 > 0 {
			order = rng.Perm(len(rows))
			order = slices.DeleteFunc(order, func(k int) bool { return k != at && k%5 == i%7 })
		}
		for k, got := range read(changed, order, 1+i%3) {
			if k != at && !slices.Equal(got, want[k]) {
				t.Fatalf("%s: row %d is %.20q, and row %d is read otherwise", f.name, at, other, k)
			}
		}
	}
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
