package bert_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode/bert"
)

// TestSequences checks which tokens of a text each rule reads: of the words of the
// tiny vocabulary, 2 and 3 begin and end a sequence.
func TestSequences(t *testing.T) {
	w := small().open(t, bert.Options{}).WordPiece()
	ids := func(all []text.Tokens) (out [][]int32) {
		for _, s := range all {
			if len(s.Types) != len(s.IDs) {
				t.Errorf("a sequence of %d tokens has %d types", len(s.IDs), len(s.Types))
			}
			out = append(out, s.IDs)
		}
		return out
	}
	const long = "a man is play the guitar . no cat a man is \xff" // 12 tokens
	for _, tt := range []struct {
		long    bert.Long
		in      string
		want    [][]int32
		dropped int
	}{
		{bert.Long{}, "a man", [][]int32{{2, 5, 6, 3}}, 0},
		{bert.Long{Rule: bert.Windows, Windows: 8}, "a man is play", [][]int32{{2, 5, 6, 7, 8, 3}}, 0},
		{bert.Long{Rule: bert.Truncate}, long, [][]int32{{2, 5, 6, 7, 8, 3}}, 8},
		{bert.Long{Rule: bert.Ends}, long, [][]int32{{2, 5, 5, 6, 7, 3}}, 8},
		{bert.Long{Rule: bert.Windows, Windows: 8}, long, [][]int32{{2, 5, 6, 7, 8, 3}, {2, 10, 11, 12, 14, 3}, {2, 15, 5, 6, 7, 3}}, 0},
		{bert.Long{Rule: bert.Windows, Windows: 8}, long + " a", [][]int32{{2, 5, 6, 7, 3}, {2, 8, 10, 11, 3}, {2, 12, 14, 15, 3}, {2, 5, 6, 7, 5, 3}}, 0},
		{bert.Long{Rule: bert.WindowsMax, Windows: 2}, long, [][]int32{{2, 5, 6, 7, 8, 3}, {2, 10, 11, 12, 14, 3}}, 4},
	} {
		all := tt.long.Sequences(w, tt.in, nil, 6)
		if got := ids(all); !slices.EqualFunc(got, tt.want, slices.Equal[[]int32]) {
			t.Errorf("%v of %d bytes is %v, want %v", tt.long, len(tt.in), got, tt.want)
		}
		if invalid := strings.Count(tt.in, "\xff"); all[0].Dropped != tt.dropped || all[0].Invalid != invalid {
			t.Errorf("%v counts %d dropped and %d invalid, want %d and %d", tt.long, all[0].Dropped, all[0].Invalid, tt.dropped, invalid)
		}
	}
}

// TestLongVectors compares with what the windows' own vectors come to by the plain
// forward pass, and checks that a short text has the bits that it has by other rules.
func TestLongVectors(t *testing.T) {
	const in = "a man is playing the guitar. no cat is playing. the man plays a guitar"
	for name, model := range models {
		m := model()
		plain := m.open(t, bert.Options{MaxTokens: 8})
		for _, rule := range bert.Rules() {
			b := m.open(t, bert.Options{MaxTokens: 8, Long: rule})
			want := make([]float64, m.Hidden)
			for i, s := range b.Long().Sequences(b.WordPiece(), in, nil, 8) {
				one := make([]float64, m.Hidden)
				for _, row := range m.Reference(s.IDs, s.Types) {
					for j, v := range row {
						one[j] += v
					}
				}
				for j, v := range one {
					switch {
					case rule != bert.WindowsMax:
						want[j] += v
					case i == 0 || v/float64(len(s.IDs)) > want[j]:
						want[j] = v / float64(len(s.IDs))
					}
				}
			}
			size := 0.0
			for _, v := range want {
				size += v * v
			}
			for j := range want {
				want[j] /= math.Sqrt(size)
			}
			got := make([]float32, m.Hidden)
			b.Encode(got, in)
			if d := distance(got, want); !(d < 1e-5) {
				t.Errorf("%s, %s: largest difference from the reference is %.3g, want less than 1e-5", name, rule, d)
			}
			texts := []string{"a cat", in, "no man", in + in, ""}
			all := nn.NewMatrix(len(texts), m.Hidden)
			if err := b.EncodeBatch(t.Context(), all, texts, 2); err != nil {
				t.Fatal(err)
			}
			short := make([]float32, m.Hidden)
			if plain.Encode(short, texts[0]); !slices.Equal(all.Row(0), short) || !slices.Equal(all.Row(1), got) {
				t.Errorf("%s, %s: a batch has other vectors than its texts alone", name, rule)
			}
			if c := b.Counts(); rule == bert.Windows && c.Truncated != 0 || rule == bert.Truncate && c.Truncated != 3 || c.Texts != 6 {
				t.Errorf("%s, %s: %+v", name, rule, c)
			}
		}
	}
}

func TestLongFile(t *testing.T) {
	dir := t.TempDir()
	if err := small().Write(dir); err != nil {
		t.Fatal(err)
	}
	plain, err := bert.Digest(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "long_texts.json")
	for _, tt := range []struct{ content, want string }{
		{`{"rule": "windows"}`, ""},
		{`{"rule": "ends", "windows": 3}`, ""},
		{`{"rule": "wndows"}`, `is "wndows", must be one of truncate, ends, windows, windows-max`},
		{`{"rule": "windows", "windows": -1}`, "must have from 1 to 1024"},
		{`{"rule": 3}`, "is no JSON of a model"},
	} {
		if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := bert.Open(dir, bert.Options{})
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s gives %v, want an error with %q", tt.content, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Long(); got.Rule == bert.Windows && got.Windows != 8 || got.Rule == bert.Ends && got.Windows != 0 {
			t.Errorf("%s is read as %+v", tt.content, got)
		}
		if sum, err := bert.Digest(dir); err != nil || sum == plain {
			t.Errorf("the digest does not depend on the rule: %v", err)
		}
	}
	if _, err := bert.Open(dir, bert.Options{Long: "no"}); err == nil {
		t.Error("a rule that there is not is taken")
	}
}
