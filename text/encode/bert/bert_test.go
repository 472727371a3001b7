package bert_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/bert"
)

var (
	_ encode.Encoder      = (*bert.Model)(nil)
	_ encode.BatchEncoder = (*bert.Model)(nil)
)

// models are the two tiny models.
var models = map[string]func() *random{"small": small, "even": even}

// TestForward compares with a plain forward pass in double precision, on
// lengths about those at which loops change. Two layers with weights of order 1
// turn roundings of 6e-8 into a few 1e-6.
func TestForward(t *testing.T) {
	for name, model := range models {
		t.Run(name, func(t *testing.T) {
			m := model()
			b := m.open(t, bert.Options{})
			for _, n := range []int{1, 2, 5, 12, 15, 16, 17, 31, 32, 33, 40} {
				s := m.sentence(n)
				got := nn.NewMatrix(1, m.Hidden)
				if err := b.EncodeTokens(t.Context(), got, []text.Tokens{s}, 1); err != nil {
					t.Fatal(err)
				}
				if d := distance(got.Data, m.reference(s)); !(d < 1e-5) {
					t.Errorf("%d tokens: largest difference from the reference is %.3g, want less than 1e-5", n, d)
				}
			}
		})
	}
}

// TestCompany checks that the bits of a vector depend neither on the texts that
// are encoded with it nor on the number of workers.
func TestCompany(t *testing.T) {
	for name, model := range models {
		t.Run(name, func(t *testing.T) {
			b := model().open(t, bert.Options{})
			var texts []string
			for i := range 300 {
				texts = append(texts, strings.Repeat("a man is playing. ", i%7)+strings.Repeat("cats ", i%11))
			}
			for _, order := range []string{"forwards", "backwards"} {
				for _, workers := range []int{1, 2, 3} {
					got, err := encode.Texts(t.Context(), b, texts, workers)
					if err != nil {
						t.Fatal(err)
					}
					for i, s := range texts {
						if !slices.Equal(got.Row(i), vector(b, s)) {
							t.Fatalf("%s, %d workers: row %d is not what Encode gives", order, workers, i)
						}
					}
				}
				slices.Reverse(texts)
			}
		})
	}
}

// TestMany checks rows far down, which are not encoded with the first ones.
func TestMany(t *testing.T) {
	b := small().open(t, bert.Options{})
	texts := make([]string, 5000)
	for i := range texts {
		texts[i] = [...]string{"a", "man", "no", "cats", "guitar", "."}[i*i%6]
	}
	got, err := encode.Texts(t.Context(), b, texts, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 4095, 4096, 4097, 4999} {
		if !slices.Equal(got.Row(i), vector(b, texts[i])) {
			t.Errorf("row %d is not what Encode gives", i)
		}
	}
}

func vector(b *bert.Model, s string) []float32 {
	v := make([]float32, b.Dim())
	b.Encode(v, s)
	return v
}

func TestTruncation(t *testing.T) {
	b := small().open(t, bert.Options{Name: "tiny", MaxTokens: 6})
	if b.Name() != "tiny" || b.Dim() != 8 || b.Limit() != 6 {
		t.Errorf("name %q, dimension %d, limit %d; want tiny, 8, 6", b.Name(), b.Dim(), b.Limit())
	}
	whole, cut := vector(b, "a man is play"), vector(b, "a man is play the guitar.")
	if !slices.Equal(whole, cut) { // [CLS] a man is play [SEP]
		t.Error("a text that is cut off has another vector than its beginning, want the same")
	}
	vector(b, "\xffcat\xff\xff")
	want := bert.Counts{Texts: 3, Tokens: 6 + 6 + 3, Truncated: 1, Dropped: 3, Invalid: 3}
	if got := b.Counts(); got != want {
		t.Errorf("Counts = %+v, want %+v", got, want)
	}
}

func TestEmpty(t *testing.T) {
	m := small()
	b := m.open(t, bert.Options{})
	got := vector(b, "")
	if d := distance(got, m.reference(text.Tokens{IDs: []int32{2, 3}, Types: []int32{0, 0}})); !(d < 1e-5) {
		t.Errorf("the empty text is %.3g from the vector of [CLS] [SEP], want less than 1e-5", d)
	}
	square := 0.0
	for _, v := range got {
		square += float64(v) * float64(v)
	}
	if !(math.Abs(square-1) < 1e-6) {
		t.Errorf("length of a vector is %g, want 1", math.Sqrt(square))
	}
	none, err := encode.Texts(t.Context(), b, nil, 2)
	if err != nil || none.Rows != 0 {
		t.Errorf("no texts give %d rows (error %v), want none", none.Rows, err)
	}
}

func TestEncodeTokensRefuses(t *testing.T) {
	b := small().open(t, bert.Options{MaxTokens: 4})
	for _, tt := range []struct {
		name    string
		tokens  text.Tokens
		workers int
		want    string
	}{
		{"no tokens", text.Tokens{}, 1, "text 0: it has 0 tokens, must have from 1 to 4"},
		{"too many", small().sentence(5), 1, "it has 5 tokens, must have from 1 to 4"},
		{"types", text.Tokens{IDs: []int32{1}}, 1, "it has 1 tokens and 0 types"},
		{"id", text.Tokens{IDs: []int32{20}, Types: []int32{0}}, 1, "token 0 has an id or a type"},
		{"negative id", text.Tokens{IDs: []int32{-1}, Types: []int32{0}}, 1, "token 0 has an id or a type"},
		{"type", text.Tokens{IDs: []int32{1}, Types: []int32{2}}, 1, "token 0 has an id or a type"},
		{"workers", small().sentence(2), 0, "workers is 0, must be at least 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantError(t, b.EncodeTokens(t.Context(), nn.NewMatrix(1, 8), []text.Tokens{tt.tokens}, tt.workers), "bert: ", tt.want)
		})
	}
	wantError(t, b.EncodeBatch(t.Context(), nn.NewMatrix(1, 8), []string{"a"}, 0), "bert: ", "workers is 0")
}

func wantError(t *testing.T, err error, prefix, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), prefix) || !strings.Contains(err.Error(), want) {
		t.Errorf("error = %v, want one that begins with %q and says %q", err, prefix, want)
	}
}

func TestCancelled(t *testing.T) {
	b := small().open(t, bert.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.EncodeBatch(ctx, nn.NewMatrix(2, 8), []string{"a", "no"}, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want Canceled", err)
	}
}

func TestPanics(t *testing.T) {
	b := small().open(t, bert.Options{})
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"Encode", func() { b.Encode(make([]float32, 7), "a") }},
		{"EncodeBatch", func() { _ = b.EncodeBatch(t.Context(), nn.NewMatrix(2, 8), []string{"a"}, 1) }},
		{"EncodeTokens", func() { _ = b.EncodeTokens(t.Context(), nn.NewMatrix(1, 9), make([]text.Tokens, 1), 1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic, want one")
				}
			}()
			tt.call()
		})
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err = small().Write(dir); err != nil { // stands for a download
		fmt.Println(err)
		return
	}
	m, err := bert.Open(dir, bert.Options{MaxTokens: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := encode.Texts(context.Background(), m, []string{"A man is playing.", "The man is playing the guitar."}, 2)
	fmt.Println(x.Rows, x.Cols, err)
	c := m.Counts()
	fmt.Println(c.Texts, "texts,", c.Tokens, "tokens,", c.Truncated, "cut off")
	// Output:
	// 2 8 <nil>
	// 2 texts, 16 tokens, 1 cut off
}
