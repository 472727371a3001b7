package distill_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode/distill"
	"sotto/text/encode/static"
)

const (
	words  = 30 // of the toy's vocabulary
	length = 5  // words of a text
	dim    = 6
)

// toy is a teacher whose vector of a text is the sum of its words' random
// vectors. If all texts have the same length, a table gets its directions right
// that holds the words' vectors, less a part of the mean.
type toy struct {
	words *text.WordPiece
	table nn.Matrix
	calls int
}

func newToy(tb testing.TB) *toy {
	tb.Helper()
	var vocabulary strings.Builder
	vocabulary.WriteString("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n##s\n")
	for i := range words {
		fmt.Fprintf(&vocabulary, "w%d\n", i)
	}
	w, err := text.ReadWordPiece(strings.NewReader(vocabulary.String()))
	if err != nil {
		tb.Fatal(err)
	}
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	t := &toy{words: w, table: nn.NewMatrix(len(w.Vocabulary()), dim)}
	for i := range t.table.Data {
		t.table.Data[i] = float32(rng.NormFloat64())
	}
	return t
}

// teach implements [distill.Teacher].
func (t *toy) teach(_ context.Context, texts []string) (nn.Matrix, error) {
	t.calls++
	x := nn.NewMatrix(len(texts), dim)
	for i, s := range texts {
		ids := t.words.Encode(s, 256).IDs
		for _, id := range ids[1 : len(ids)-1] {
			for j, v := range t.table.Row(int(id)) {
				x.Row(i)[j] += v
			}
		}
	}
	return x, nil
}

// texts makes texts of equal length.
func texts(n int, seed uint64) []string {
	rng := weakrand.New(weakrand.NewPCG(seed, 0))
	all := make([]string, n)
	for i := range all {
		var w []string
		for range length {
			w = append(w, fmt.Sprint("w", rng.IntN(words)))
		}
		all[i] = strings.Join(w, " ")
	}
	return all
}

func content(tb testing.TB, e *static.Encoder) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := e.Write(&out); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func cosine(a, b []float32) float64 {
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(x*y)
}

// A table that exists is found: the held-out loss falls to nearly nothing, and
// new texts are as near to each other as the teacher's vectors are.
func TestRun(t *testing.T) {
	toy := newToy(t)
	train := texts(1000, 1)
	var losses []float64
	var stages []string
	e, err := distill.Run(t.Context(), distill.Settings{Dim: dim, Epochs: 60, Name: "toy", Notice: "whose"}, toy.words, toy.teach, train, func(r distill.Report) {
		if len(stages) == 0 || stages[len(stages)-1] != r.Stage {
			stages = append(stages, r.Stage)
		}
		if r.Done > r.Total {
			t.Errorf("%d of %d %s are done", r.Done, r.Total, r.Stage)
		}
		if r.Stage == "epoch" {
			losses = append(losses, r.Loss)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	first, best := losses[0], slices.Min(losses)
	t.Logf("held-out loss %.4f before and %.6f after %d epochs", first, best, len(losses)-1)
	if !(first > 0.05 && best < 1e-4) {
		t.Errorf("held-out loss = %.4f before and %.4f after, want it to fall to nearly 0", first, best)
	}
	if want := []string{"tokens", "texts", "epoch"}; !slices.Equal(stages, want) {
		t.Errorf("stages = %q, want %q", stages, want)
	}
	if e.Name() != "toy" || e.Notice() != "whose" || e.Dim() != dim {
		t.Errorf("encoder is %q, %q, %d, want toy, whose, %d", e.Name(), e.Notice(), e.Dim(), dim)
	}
	fresh := texts(100, 2)
	want, err := toy.teach(t.Context(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := toy.teach(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float32, dim)
	for i := range whole.Rows {
		for j, v := range whole.Row(i) {
			mean[j] += v / float32(whole.Rows)
		}
	}
	got := nn.NewMatrix(len(fresh), dim)
	for i, s := range fresh {
		e.Encode(got.Row(i), s)
		for j := range mean {
			want.Row(i)[j] -= mean[j]
		}
	}
	worst := 0.0
	for i := 1; i < len(fresh); i++ {
		worst = max(worst, math.Abs(cosine(got.Row(0), got.Row(i))-cosine(want.Row(0), want.Row(i))))
	}
	// Rounding to 8 bits moves each of five vectors by at most √6/254, below 1%,
	// of its length: a sum as long as one of them turns by at most 0.05.
	if worst > 2*0.05 {
		t.Errorf("cosines of new texts are off by up to %.3f, want at most 0.1", worst)
	}
}

// A shorter table keeps the directions of largest variance.
func TestRunComponents(t *testing.T) {
	toy := newToy(t)
	for i := range toy.table.Rows { // all but three directions hold next to nothing
		for j := 3; j < dim; j++ {
			toy.table.Row(i)[j] *= 1e-3
		}
	}
	loss := 2.0
	e, err := distill.Run(t.Context(), distill.Settings{Dim: 3, Epochs: 60, Patience: 10}, toy.words, toy.teach, texts(1000, 1), func(r distill.Report) {
		if r.Stage == "epoch" {
			loss = min(loss, r.Loss)
		}
	})
	if err != nil || e.Dim() != 3 || !(loss < 0.005) {
		t.Errorf("Run to 3 of %d dimensions: held-out loss %v, error %v, want nearly 0", dim, loss, err)
	}
}

func TestRunDeterminism(t *testing.T) {
	run := func(seed uint64) []byte {
		toy := newToy(t)
		e, err := distill.Run(t.Context(), distill.Settings{Dim: 4, Epochs: 3, Seed: seed}, toy.words, toy.teach, texts(200, 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		return content(t, e)
	}
	if !bytes.Equal(run(1), run(1)) {
		t.Error("equal settings give different tables")
	}
	if bytes.Equal(run(1), run(2)) {
		t.Error("another seed gives the same table")
	}
}

// What is unknown has no vector, however often the texts hold it.
func TestRunUnknown(t *testing.T) {
	toy := newToy(t)
	train := texts(200, 1)
	for i := range train {
		train[i] += " unknown"
	}
	train[0], train[1] = "", "unknown"
	e, err := distill.Run(t.Context(), distill.Settings{Dim: dim, Epochs: 3}, toy.words, toy.teach, train, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := make([]float32, dim), make([]float32, dim), make([]float32, dim)
	e.Encode(a, "unknown")
	e.Encode(b, "w1 w2")
	e.Encode(c, "w1 unknown w2")
	if slices.Max(a) != 0 || slices.Min(a) != 0 || !slices.Equal(b, c) {
		t.Errorf("the vector of an unknown word is %v, want zeros", a)
	}
}

func TestRunCancel(t *testing.T) {
	for _, stage := range []string{"", "tokens", "texts", "epoch"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if stage == "" {
			cancel()
		}
		toy, after := newToy(t), 0
		_, err := distill.Run(ctx, distill.Settings{Dim: dim}, toy.words, toy.teach, texts(5000, 1), func(r distill.Report) {
			if ctx.Err() != nil {
				after++
			}
			if r.Stage == stage {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || after > 0 {
			t.Errorf("ended at stage %q: %d reports follow, error = %v, want none and %v", stage, after, err, context.Canceled)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    distill.Settings
		n    int // texts; 0 means 200
		want string
	}{
		{name: "dim", s: distill.Settings{Dim: -1}, want: "distill: dim is -1, must be positive"},
		{name: "rate", s: distill.Settings{Rate: -1}, want: "distill: rate is -1, epochs 30 and patience 2, must be positive and finite"},
		{name: "rate NaN", s: distill.Settings{Rate: math.NaN()}, want: "rate is NaN"},
		{name: "rate infinite", s: distill.Settings{Rate: math.Inf(1)}, want: "rate is +Inf"},
		{name: "epochs", s: distill.Settings{Epochs: -1}, want: "epochs -1"},
		{name: "patience", s: distill.Settings{Patience: -1}, want: "patience -1"},
		{name: "nothing left", s: distill.Settings{HeldOut: 1}, want: "distill: held_out is 1, must be in (0, 1)"},
		{name: "held_out NaN", s: distill.Settings{HeldOut: math.NaN()}, want: "held_out is NaN"},
		{name: "few texts", n: 99, want: "distill: 99 texts, must be at least 100"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toy := newToy(t)
			_, err := distill.Run(t.Context(), tt.s, toy.words, toy.teach, texts(cmp.Or(tt.n, 200), 1), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || toy.calls > 0 {
				t.Errorf("Run error = %v after %d calls of the teacher, want %q and none", err, toy.calls, tt.want)
			}
		})
	}
}

// Teachers that are not what they should be.
func TestTeacherFaults(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name  string
		dim   int
		spoil func(call int, x *nn.Matrix) error
		calls int
		want  string
	}{
		{"error", dim, func(int, *nn.Matrix) error { return broken }, 1, "broken"},
		{"row missing", dim, func(_ int, x *nn.Matrix) error { x.Rows--; return nil }, 1, "another number of vectors"},
		{"other length", dim, func(call int, x *nn.Matrix) error {
			if call == 2 {
				*x = nn.NewMatrix(x.Rows, dim+1)
			}
			return nil
		}, 2, "of other lengths"},
		{"NaN", dim, func(_ int, x *nn.Matrix) error { x.Data[1] = float32(math.NaN()); return nil }, 1, "not finite"},
		{"infinite", dim, func(_ int, x *nn.Matrix) error { x.Data[1] = float32(math.Inf(-1)); return nil }, 1, "not finite"},
		{"large", dim, func(_ int, x *nn.Matrix) error { x.Data[1] = 1e30; return nil }, 2, "too large"},
		{"short", dim + 1, func(int, *nn.Matrix) error { return nil }, 1, "dim is 7, must be at most the teacher's 6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			toy := newToy(t)
			_, err := distill.Run(t.Context(), distill.Settings{Dim: tt.dim}, toy.words, func(ctx context.Context, texts []string) (nn.Matrix, error) {
				x, err := toy.teach(ctx, texts)
				return x, errors.Join(err, tt.spoil(toy.calls, &x))
			}, texts(200, 1), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || toy.calls != tt.calls {
				t.Errorf("Run error = %v after %d calls, want %q after %d", err, toy.calls, tt.want, tt.calls)
			}
		})
	}
}

func TestWordNet(t *testing.T) {
	got, err := distill.WordNet("testdata")
	want := []string{
		"that which is perceived to have its own existence (living or nonliving)",
		"a general concept", "he loved her only in the abstract", "not in reality",
		"draw air into the lungs", "I can breathe better",
		"having the means", "able to swim",
		"without musical accompaniment", "they sang a | cappella",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("WordNet = %q, %v, want %q", got, err, want)
	}
	dir := t.TempDir()
	if _, err := distill.WordNet(dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "wordnet-base") {
		t.Errorf("WordNet of an empty folder: error = %v, want one that says where to get it", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data.noun"), bytes.Repeat([]byte("x"), 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := distill.WordNet(dir); err == nil || !strings.Contains(err.Error(), "data.noun") {
		t.Errorf("WordNet of an endless line: error = %v, want one that names the file", err)
	}
}

// Whatever the files hold, no text is shorter than four bytes or spread over
// lines.
func FuzzWordNet(f *testing.F) {
	f.Add("0 | a general concept; \"he loved her\"  \n")
	f.Add("  | licence\n1 | \"\"\"\"\n")
	dir := f.TempDir()
	for _, part := range []string{"verb", "adj", "adv"} {
		if err := os.WriteFile(filepath.Join(dir, "data."+part), nil, 0o600); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, content string) {
		if err := os.WriteFile(filepath.Join(dir, "data.noun"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := distill.WordNet(dir)
		if err != nil && len(content) < 1<<20 {
			t.Errorf("error = %v of %d bytes", err, len(content))
		}
		for _, s := range got {
			if len(s) < 4 || strings.ContainsAny(s, "\n\"") || strings.TrimSpace(s) != s {
				t.Errorf("text %q", s)
			}
		}
	})
}

func ExampleRun() {
	words, err := text.ReadWordPiece(strings.NewReader("[UNK]\n[CLS]\n[SEP]\n[MASK]\ngood\nbad\nfilm\nbook\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	// This teacher knows praise and subject; a transformer knows more.
	teach := func(_ context.Context, texts []string) (nn.Matrix, error) {
		x := nn.NewMatrix(len(texts), 2)
		for i, s := range texts {
			x.Row(i)[0] = float32(strings.Count(s, "good") - strings.Count(s, "bad"))
			x.Row(i)[1] = float32(strings.Count(s, "film") - strings.Count(s, "book"))
		}
		return x, nil
	}
	texts := slices.Repeat([]string{"good film", "bad film", "good book", "bad book"}, 25)
	e, err := distill.Run(context.Background(), distill.Settings{Dim: 2, Name: "reviews"}, words, teach, texts, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := make([]float32, 2), make([]float32, 2)
	e.Encode(a, "A good film!")
	e.Encode(b, "a bad book")
	fmt.Printf("%s %.2f\n", e.Name(), a[0]*b[0]+a[1]*b[1])
	// Output: reviews -1.00
}
