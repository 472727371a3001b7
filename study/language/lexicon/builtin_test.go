package lexicon_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/study/language/lexicon"
)

var update = flag.Bool("update", false, "write the lexicons that are built in from their sources")

// source returns the lines of a file of the data sets, or skips the test.
func source(t *testing.T, path string) []string {
	t.Helper()
	dir := os.Getenv("SOTTO_DATA")
	content, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil || dir == "" {
		t.Skipf("%s is not in SOTTO_DATA, so that what is built in cannot be held against it", path)
	}
	return strings.Split(strings.TrimRight(strings.ReplaceAll(string(content), "\r", ""), "\n"), "\n")
}

// made makes the lexicons that are built in from what others have published, in
// forms that Read takes.
var made = map[string]func(t *testing.T) string{
	"vader": func(t *testing.T) string {
		var b strings.Builder
		for _, line := range source(t, "emotion/vader_lexicon.tsv")[1:] {
			fields := strings.Split(line, "\t")
			fmt.Fprintf(&b, "%s\tvalence\t%s\n", fields[0], fields[1])
		}
		return b.String()
	},
	"opinion": func(t *testing.T) string {
		var b strings.Builder
		for _, category := range []string{"positive", "negative"} {
			for _, word := range source(t, "opinion_lexicon/"+category+"-words.txt") {
				if word != "" && word[0] != ';' {
					fmt.Fprintf(&b, "%s\t%s\t1\n", strings.ToValidUTF8(word, "ï"), category)
				}
			}
		}
		return b.String()
	},
	"empath": func(t *testing.T) string {
		var b strings.Builder
		for _, line := range source(t, "empath/categories.tsv") {
			fields := strings.Split(line, "\t")
			for _, word := range fields[1:] {
				if word != "" {
					fmt.Fprintf(&b, "%s\t%s\t1\n", strings.ReplaceAll(word, "_", " "), fields[0])
				}
			}
		}
		return b.String()
	},
	"goemotions": func(t *testing.T) string { return scores(t, "emotion/goemotions_lexicon.tsv") },
	"xed":        func(t *testing.T) string { return scores(t, "emotion/xed_lexicon.tsv") },
}

// scores takes the emotions of a word that stands in texts which carry them more
// often than chance, but for words that are in every text.
func scores(t *testing.T, path string) string {
	stop := source(t, "stdlib_lists/stopwords-en.txt")
	all := source(t, path)
	header := strings.Split(all[0], "\t")
	var b strings.Builder
	for _, line := range all[1:] {
		fields := strings.Split(line, "\t")
		if slices.Contains(stop, fields[0]) {
			continue
		}
		for i := 2; i < len(fields); i++ {
			z, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			if z > 2 && header[i] != "neutral" {
				fmt.Fprintf(&b, "%s\t%s\t%.1f\n", fields[0], header[i], z)
			}
		}
	}
	return b.String()
}

// TestBuiltin holds what is built in against what it was made from.
func TestBuiltin(t *testing.T) {
	for _, info := range lexicon.List() {
		t.Run(info.Name, func(t *testing.T) {
			l, err := lexicon.Read(strings.NewReader(made[info.Name](t)), info.Name)
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err = l.Write(&want); err != nil {
				t.Fatal(err)
			}
			held(t, info.Name+".lex.gz", want.Bytes())
		})
	}
	t.Run("emoji", func(t *testing.T) {
		var want bytes.Buffer
		for _, line := range source(t, "emotion/vader_emoji.tsv") {
			if mark, _, ok := strings.Cut(line, "\t"); ok && len([]rune(mark)) == 1 {
				fmt.Fprintln(&want, line)
			}
		}
		held(t, "emoji.tsv.gz", want.Bytes())
	})
}

// held compares the content of a file with what it should be, or writes it.
func held(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.Write(want); err != nil {
			t.Fatal(err)
		}
		if err = w.Close(); err != nil {
			t.Fatal(err)
		}
		if err = os.WriteFile(name, packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(plain)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes, and its source makes %d others, %v; go test -update writes it", name, len(got), len(want), err)
	}
}

// TestOpen looks words up in each lexicon.
func TestOpen(t *testing.T) {
	for _, tt := range []struct{ name, word, category string }{
		{"vader", "good", "valence"},
		{"vader", ":)", "valence"},
		{"opinion", "Abysmal", "negative"},
		{"opinion", "admirable", "positive"},
		{"empath", "nurse", "health"},
		{"goemotions", "angry", "anger"},
		{"xed", "afraid", "fear"},
	} {
		l, err := lexicon.Open(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(l.Look("no such word", tt.word), func(e lexicon.Entry) bool { return e.Category == tt.category && e.Weight != 0 }) {
			t.Errorf("%s of %s is %v, want %s", tt.word, tt.name, l.Look(tt.word), tt.category)
		}
		if l.Look("no such word") != nil || l.Licence == "" || l.Words() < 500 || !slices.Contains(l.Categories(), tt.category) {
			t.Errorf("%s has %d words and %d categories under %q", tt.name, l.Words(), len(l.Categories()), l.Licence)
		}
	}
	if _, err := lexicon.Open("nrc"); err == nil || !strings.Contains(err.Error(), "must be one of vader, opinion,") {
		t.Errorf("nrc is opened with %v", err)
	}
}

// TestSentiment holds the rules against the values that their authors publish for
// the examples of their README.
func TestSentiment(t *testing.T) {
	for _, tt := range []struct {
		s                                     string
		positive, compound, neutral, negative float64
	}{
		{"VADER is smart, handsome, and funny.", 0.746, 0.8316, 0.254, 0},
		{"VADER is smart, handsome, and funny!", 0.752, 0.8439, 0.248, 0},
		{"VADER is very smart, handsome, and funny.", 0.701, 0.8545, 0.299, 0},
		{"VADER is VERY SMART, handsome, and FUNNY.", 0.754, 0.9227, 0.246, 0},
		{"VADER is VERY SMART, handsome, and FUNNY!!!", 0.767, 0.9342, 0.233, 0},
		{"VADER is VERY SMART, uber handsome, and FRIGGIN FUNNY!!!", 0.706, 0.9469, 0.294, 0},
		{"VADER is not smart, handsome, nor funny.", 0, -0.7424, 0.354, 0.646},
		{"The book was good.", 0.492, 0.4404, 0.508, 0},
		// The README has 0.363 and 0.637 here, from a release that left out words of one letter.
		{"At least it isn't a horrible book.", 0.322, 0.431, 0.678, 0},
		{"The book was only kind of good.", 0.303, 0.3832, 0.697, 0},
		{"The plot was good, but the characters are uncompelling and the dialog is not great.", 0.094, -0.7042, 0.579, 0.327},
		{"Today SUX!", 0, -0.5461, 0.221, 0.779},
		{"Today only kinda sux! But I'll get by, lol", 0.317, 0.5249, 0.556, 0.127},
		{"Make sure you :) or :D today!", 0.706, 0.8633, 0.294, 0},
		{"Not bad at all", 0.487, 0.431, 0.513, 0},
		{"", 0, 0, 0, 0},
		{" \u200b\x00\xff ", 0, 0, 1, 0},
		// The README has 0.7003 here, from other names of emoji than those released since.
		{"Catch utf-8 emoji such as 💘 and 💋 and 😁", 0.417, 0.875, 0.583, 0},
	} {
		got, err := lexicon.Sentiment(tt.s)
		want := lexicon.Score{Compound: tt.compound, Positive: tt.positive, Neutral: tt.neutral, Negative: tt.negative}
		if err != nil || math.Abs(got.Compound-want.Compound) > 1e-9 || math.Abs(got.Positive-want.Positive) > 1e-9 || math.Abs(got.Neutral-want.Neutral) > 1e-9 || math.Abs(got.Negative-want.Negative) > 1e-9 {
			t.Errorf("%q has %+v, %v, want %+v", tt.s, got, err, want)
		}
	}
}
