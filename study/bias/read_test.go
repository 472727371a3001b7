package bias_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/study/bias"
	"sotto/text/encode/svec"
	"sotto/text/encode/wordfile"
)

// store writes a file and returns its path.
func store(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func packed(tb testing.TB, content string) string {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(content)) //nolint:errcheck // to memory
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// dump shows a table.
func dump(t *bias.Table) string {
	text := ""
	for i := range t.Len() {
		text += fmt.Sprint(t.Word(i), t.Row(i), " ")
	}
	return text
}

const (
	plainText = "a 1 2\nB 3 4\nb 5 6\na 7 8\n"
	object    = `{"a": [1, 2], "B": [3, 4], "b": [5, 6], "a": [7, 8]}`
	sheet     = "translation,word,gender,V2,V3\na,x,N,1,2\nB,x,N,3,4\nnone,x,N,NA,NA\nb,x,N,5,6\na,x,F,7,8\n"
	binary    = "4 2\na \x00\x00\x80\x3f\x00\x00\x00\x40\nB \x00\x00\x40\x40\x00\x00\x80\x40\nb \x00\x00\xa0\x40\x00\x00\xc0\x40\na \x00\x00\x80\x3f\x00\x00\x80\x3f\n"
)

func TestRead(t *testing.T) {
	mapped := filepath.Join(t.TempDir(), "words.svec")
	if _, err := svec.Convert(context.Background(), strings.NewReader(plainText), wordfile.Glove, mapped, svec.Options{Float32: true, KeepFirst: true}, nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path   string
		format bias.Format
		counts bias.Counts // of all words
	}{
		{store(t, "words.txt", plainText), "", bias.Counts{Rows: 4, Words: 3, Duplicates: 1}},
		{store(t, "words.vec", "4 2\n"+plainText), "", bias.Counts{Rows: 4, Words: 3, Duplicates: 1}},
		{store(t, "words.data", "4 2\n"+plainText), "word2vec", bias.Counts{Rows: 4, Words: 3, Duplicates: 1}},
		{store(t, "words.txt.gz", packed(t, plainText)), "", bias.Counts{Rows: 4, Words: 3, Duplicates: 1}},
		{store(t, "words.bin", binary), "", bias.Counts{Rows: 4, Words: 3, Duplicates: 1}},
		{store(t, "words.json", object), "", bias.Counts{Rows: 4, Words: 3, Duplicates: 1}},
		{store(t, "words.json.gz", packed(t, object)), "", bias.Counts{Rows: 4, Words: 3, Duplicates: 1}},
		{store(t, "words.csv", "\ufeff"+sheet), "", bias.Counts{Rows: 5, Words: 3, Duplicates: 1, Absent: 1}},
		{store(t, "words", sheet), bias.CSV, bias.Counts{Rows: 5, Words: 3, Duplicates: 1, Absent: 1}},
		{mapped, "", bias.Counts{Rows: 3, Words: 3}},
	} {
		all, counts, err := bias.Read(tt.path, bias.Options{Format: tt.format})
		if err != nil {
			t.Error(err)
			continue
		}
		if got := dump(all); got != "a[1 2] B[3 4] b[5 6] " || counts != tt.counts {
			t.Errorf("%s: read %s, %+v, want counts %+v", filepath.Base(tt.path), got, counts, tt.counts)
		}
		// Both spellings are read, so that the exact one can win.
		some, counts, err := bias.Read(tt.path, bias.Options{Format: tt.format, Words: []string{"B", "absent"}})
		if err != nil {
			t.Error(err)
			continue
		}
		if got := dump(some); got != "B[3 4] b[5 6] " || counts.Rows != tt.counts.Rows || counts.Words != 2 {
			t.Errorf("%s: read %s, %+v", filepath.Base(tt.path), got, counts)
		}
	}
}

func TestReadRefused(t *testing.T) {
	for name, content := range map[string]string{
		"empty.txt": "", "short.txt": "a 1 2\nb 3\n", "header.txt": "3 1\na 1\n", "text.txt": "a x\n",
		"empty.json": "", "list.json": "[]", "none.json": "{}", "open.json": `{"a": [1`, "null.json": `{"a": [1, null]}`, "string.json": `{"a": ["1"]}`,
		"nested.json": `{"a": [[1]]}`, "width.json": `{"a": [1], "b": [1, 2]}`, "nil.json": `{"a": []}`, "large.json": `{"a": [1e999]}`, "unnamed.json": `{"": [1]}`,
		"two.json": `{"a": [1]} {}`, "object.json": `{"a": {"b": 1}}`, "end.json": `{"a": [1]`, "trail.json": `{"a": [1]]`,
		"empty.csv": "", "head.csv": "word,V1\n", "columns.csv": "word,vector\na,1\n", "unnamed.csv": "token,V1,V2\na,1,2\n", "text.csv": "word,V1\na,x\n",
		"hex.csv": "word,V1\na,0x1p3\n", "inf.csv": "word,V1\na,Inf\n", "ragged.csv": "word,V1,V2\na,1\n", "quote.csv": "word,V1\n\"a,1\n", "noword.csv": "word,V1\n,1\n",
		"large.csv": "word,V1\na,1e999\n", "absent.csv": "word,V1\na,NA\n", "numbers.csv": "V1,V2\n1,2\n",
		"junk.svec": "junk", "junk.txt.gz": "\x1f\x8bjunk", "junk.csv.gz": "\x1f\x8bjunk",
	} {
		if _, _, err := bias.Read(store(t, name, content), bias.Options{}); err == nil || !strings.HasPrefix(err.Error(), "bias: ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error is %v, want one that names package and file", name, err)
		}
	}
	if _, _, err := bias.Read(filepath.Join(t.TempDir(), "absent"), bias.Options{}); err == nil {
		t.Error("an absent file was read")
	}
	if _, _, err := bias.Read("", bias.Options{Format: "elmo"}); err == nil {
		t.Error("an unknown format was taken")
	}
}

// TestReadPlace checks that errors name the row.
func TestReadPlace(t *testing.T) {
	for name, want := range map[string]string{"a.txt": "line 2", "a.csv": "line 3", "a.json": "word 2"} {
		content := map[string]string{"a.txt": "a 1\nb secret\n", "a.csv": "word,V1\na,1\nb,secret\n", "a.json": `{"a": [1], "b": ["secret"]}`}[name]
		_, _, err := bias.Read(store(t, name, content), bias.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error is %v, want one that names %s and does not quote", name, err, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, name := range []string{"text", "glove", "word2vec", "fasttext", "word2vec-bin", "svec", "json", "CSV"} {
		if f, err := bias.ParseFormat(name); err != nil || string(f) != strings.ToLower(name) {
			t.Errorf("ParseFormat(%s) = %s, %v", name, f, err)
		}
	}
	if _, err := bias.ParseFormat("elmo"); err == nil {
		t.Error("ParseFormat(elmo) succeeded, want an error")
	}
}

// TestReadMultilingual reads published tables.
func TestReadMultilingual(t *testing.T) {
	dir := testenv.Data(t, "multilingual_bias_vectors", "iat_wiki_fasttext_300d")
	x, counts, err := bias.Read(filepath.Join(dir, "wiki.zh_raw.csv"), bias.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x.Dim() != 300 || counts.Absent != 8 || counts.Words+counts.Duplicates+counts.Absent != counts.Rows {
		t.Errorf("read %d numbers a word, %+v", x.Dim(), counts)
	}
}

// FuzzRead checks that whatever is read is a table of finite numbers, from JSON
// and from CSV, and that all words and one word agree.
func FuzzRead(f *testing.F) {
	for i, s := range []string{object, sheet, "{}", "word,V1\na,NA\n", `{"a": [1e5, -0.5]}`, "translation,x9,x10\n\"a\"\"b\",1,2\n"} {
		f.Add([]byte(s), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, in []byte, json bool) {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, in, 0o600); err != nil {
			t.Fatal(err)
		}
		o := bias.Options{Format: bias.CSV}
		if json {
			o.Format = bias.JSON
		}
		all, counts, err := bias.Read(path, o)
		if err != nil {
			return
		}
		if all.Len() != counts.Words || counts.Words+counts.Duplicates+counts.Absent != counts.Rows {
			t.Fatalf("%d words, %+v", all.Len(), counts)
		}
		for i := range all.Len() {
			for _, v := range all.Row(i) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("a number is %v", v)
				}
			}
		}
		if all.Len() == 0 {
			return
		}
		o.Words = []string{all.Word(0)}
		one, _, err := bias.Read(path, o)
		if err != nil {
			t.Fatal(err)
		}
		if i, ok := one.Index(all.Word(0)); !ok || one.Word(i) != all.Word(0) || !slices.Equal(one.Row(i), all.Row(0)) {
			t.Fatal("a word that is there was not found alone")
		}
	})
}

func ExampleRead() {
	path := filepath.Join(os.TempDir(), "sotto-bias-example.txt")
	defer os.Remove(path)
	if err := os.WriteFile(path, []byte("the 0 0\nwoman 0.2 0.9\nman 0.8 0.1\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	t, counts, err := bias.Read(path, bias.Options{Words: []string{"Woman", "man"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	row, ok := t.Find("Woman")
	fmt.Println(float32(row[0]), ok, counts.Words, "of", counts.Rows)
	// Output: 0.2 true 2 of 3
}

// BenchmarkRead takes 500 words of 40,000 with 300 numbers each.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "words.txt")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	numbers := random(300)
	var words []string
	for i := range 40_000 {
		word := fmt.Sprintf("word%d", i)
		if i%80 == 0 {
			words = append(words, word)
		}
		fmt.Fprint(w, word)
		for j := range numbers {
			fmt.Fprintf(w, " %.5f", numbers[(i+j)%300])
		}
		fmt.Fprintln(w)
	}
	if err = w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	f.Close()
	for name, o := range map[string]bias.Options{"some": {Words: words}, "all": {}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				if _, _, err := bias.Read(path, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
