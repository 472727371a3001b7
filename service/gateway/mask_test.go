package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sotto/compute/nn"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/learn/vectorise"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/text"
	"sotto/text/encode"
)

// watching is an encoder by hashes that notes the texts it sees.
type watching struct {
	encode.Hash
	mu   sync.Mutex
	seen []string
}

func (w *watching) Encode(dst []float32, t string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, t)
	w.Hash.Encode(dst, t)
}

// dropping is a gateway for a model that was trained with half of the words
// masked, as its manifest says, and the encoder that it asks.
func dropping(t *testing.T, n gateway.Noise) (*gateway.Gateway, *watching) {
	t.Helper()
	method := train.Noise{Training: train.Training{Shape: train.Shape{Encoder: []int{8}}, Epochs: 1}, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 2}}
	m, err := gateway.FromModel(trainedWith(t, method, model.Manifest{Method: "noise", Seed: 1, Data: model.DataRecord{Dropout: 0.5}}))
	if err != nil {
		t.Fatal(err)
	}
	h, err := encode.NewHash(width)
	if err != nil {
		t.Fatal(err)
	}
	w := &watching{Hash: h}
	c := config(t)
	c.Encoder, c.Mechanism, c.Noise, c.Ledger = w, m, n, discard{c.Ledger}
	return newGateway(t, c), w
}

// TestDropout serves a model that was trained with dropout: each word is masked
// with that probability.
func TestDropout(t *testing.T) {
	const texts, words = 400, 20
	for _, n := range []gateway.Noise{gateway.Memoised, gateway.Fresh} {
		g, w := dropping(t, n)
		var counts [words]int
		for i := range texts {
			var s strings.Builder
			for j := range words {
				s.WriteString("t" + strconv.Itoa(i) + "w" + strconv.Itoa(j) + " ")
			}
			w.seen = nil
			e := embed(t, g, "alice", gateway.Options{}, s.String())
			for j := range words {
				if strings.Contains(w.seen[0], "w"+strconv.Itoa(j)+" ") {
					counts[j]++
				}
			}
			if e.Privacy.Dropout != 0.5 || e.Privacy.Word == nil || !(e.Privacy.Word.Epsilon < 1.5) {
				t.Fatalf("the promise is %+v, want dropout 0.5 and a smaller ε between texts that differ in a word", e.Privacy)
			}
		}
		// Forty counts, each binomial: 5.2 standard deviations are exceeded by
		// one of them with probability 1e-5.
		tolerance := 5.2 * math.Sqrt(texts*0.25)
		for j, got := range counts {
			if math.Abs(float64(got)-texts/2) > tolerance {
				t.Errorf("%s: word %d was kept %d times of %d, want %d ± %.0f", n, j, got, texts, texts/2, tolerance)
			}
		}
	}
}

// TestDropoutOfRepeats: what is memoised is masked alike each time, for each
// subject by itself; fresh masks come again under an idempotency key alone.
func TestDropoutOfRepeats(t *testing.T) {
	s := strings.Repeat("many different words ", 20)
	ask := func(n gateway.Noise, subjects ...string) (seen []string, vectors [][]float32) {
		g, w := dropping(t, n)
		for _, who := range subjects {
			subject, key, _ := strings.Cut(who, " ")
			vectors = append(vectors, embed(t, g, subject, gateway.Options{IdempotencyKey: key}, s).Vectors[0])
		}
		return w.seen, vectors
	}
	for _, tt := range []struct {
		noise    gateway.Noise
		subjects []string
		same     bool
	}{
		{gateway.Memoised, []string{"alice", "alice"}, true},
		{gateway.Memoised, []string{"alice", "bob"}, false},
		{gateway.Fresh, []string{"alice", "alice"}, false},
		{gateway.Fresh, []string{"alice key", "alice key"}, true},
		{gateway.Fresh, []string{"alice key", "alice other"}, false},
	} {
		seen, vectors := ask(tt.noise, tt.subjects...)
		if same := seen[0] == seen[1]; same != tt.same || slices.Equal(vectors[0], vectors[1]) != tt.same {
			t.Errorf("%s, asked by %q: masked alike %v, want %v, and vectors alike", tt.noise, tt.subjects, same, tt.same)
		}
	}
	seen, _ := ask(gateway.Memoised, "alice", "bob", "carol")
	again, _ := ask(gateway.Memoised, "alice", "bob", "carol") // after a restart
	if !slices.Equal(seen, again) {
		t.Error("after a restart texts are masked in another way")
	}
}

// TestLeftAlike: with dropout two texts of which the same is left are two
// releases, each of which is paid for.
func TestLeftAlike(t *testing.T) {
	g, w := dropping(t, gateway.Memoised)
	texts := []string{"a b", "c b", "d b", "e b", "f b", "g b", "h b", "i b", "j b", "k b", "l b", "m b", "n b", "o b", "p b", "q b"}
	e := embed(t, g, "alice", gateway.Options{}, texts...)
	left := map[string][]int{}
	for i, s := range w.seen {
		left[s] = append(left[s], i)
	}
	if e.Privacy.Paid != len(texts) || len(left) == len(texts) {
		t.Fatalf("paid %d for %d texts of which %q is left, want all to be paid and some alike", e.Privacy.Paid, len(texts), w.seen)
	}
	for s, rows := range left {
		if len(rows) > 1 && slices.Equal(e.Vectors[rows[0]], e.Vectors[rows[1]]) {
			t.Errorf("two texts of which %q is left have one release", s)
		}
	}
}

// TestModelOfMasks refuses a model that was trained with lists which are not
// given, and says which.
func TestModelOfMasks(t *testing.T) {
	list, err := text.ParseMaskList(strings.NewReader("parcel\n"))
	if err != nil {
		t.Fatal(err)
	}
	names := &text.NameList{}
	method := train.Noise{Training: train.Training{Shape: train.Shape{Encoder: []int{8}}, Epochs: 1}, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 2}}
	m, err := gateway.FromModel(trainedWith(t, method, model.Manifest{Masks: model.Masks{Rules: []string{list.Rule(), names.Rule()}}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		maskers []text.Masker
		want    string
	}{
		{nil, list.Rule()},
		{[]text.Masker{list}, names.Rule()},
		{[]text.Masker{names}, list.Rule()},
		{[]text.Masker{names, list}, ""},
	} {
		c := config(t)
		c.Mechanism, c.Maskers = m, tt.maskers
		if _, err := gateway.New(t.Context(), c); (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "parcel")) {
			t.Errorf("with %d maskers: %v, want %q", len(tt.maskers), err, tt.want)
		}
	}
}

// tokens is an encoder with mask tokens: its vector tells where they are.
type tokens struct{}

func (tokens) Name() string { return "tokens" }
func (tokens) Dim() int     { return width }
func (tokens) EncodeMasked(_ context.Context, dst nn.Matrix, texts []string, masked [][]text.Span, _ int) error {
	for i, t := range texts {
		row, left := dst.Row(i), len(t)
		for j, span := range masked[i] {
			row[j+1] = float32(span.Start)
			left -= span.End - span.Start
		}
		row[0] = float32(left)
	}
	return nil
}

// taking is a mechanism that notes the vectors it is given.
type taking struct {
	mech.Mechanism
	got [][]float64
}

func (m *taking) PrivatizeTo(dst, x []float64, src rand.Source) error {
	m.got = append(m.got, slices.Clone(x))
	return m.Mechanism.PrivatizeTo(dst, x, src)
}

// TestOneMasker masks the same words in a file, in a gateway and as training
// does, and wants the same vectors.
func TestOneMasker(t *testing.T) {
	list, err := text.ParseMaskList(strings.NewReader("parcel\n/lo.t/\n"))
	if err != nil {
		t.Fatal(err)
	}
	maskers := []text.Masker{list, &text.NameList{}}
	texts := []string{"my parcel for Ada is lost", "my letter is here", "parcel"}
	hash, err := encode.NewHash(width)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []encode.Source{hash, tokens{}} {
		var masks []text.Masking
		for _, s := range texts {
			masks = append(masks, text.Mask(s, nil, maskers...))
		}
		trained, err := encode.Masked(t.Context(), e, texts, masks, 1)
		if err != nil {
			t.Fatal(err)
		}
		file := encodeFile(t, vectorise.Job{Encoder: e, Maskers: maskers, Workers: 1}, texts)
		m := &taking{Mechanism: mechanism(t, 2)}
		c := config(t)
		c.Encoder, c.Mechanism, c.Maskers = e, m, maskers
		embed(t, newGateway(t, c), "alice", gateway.Options{}, texts...)
		for i := range texts {
			for j, v := range trained.Row(i) {
				if float64(v) != file[i][j] || float64(v) != m.got[i][j] {
					t.Fatalf("%s: number %d of text %d is %v in training, %v in a file and %v in a gateway", e.Name(), j, i, v, file[i][j], m.got[i][j])
				}
			}
		}
	}
}

// encodeFile vectorises texts as a file of them is.
func encodeFile(t *testing.T, j vectorise.Job, texts []string) [][]float64 {
	t.Helper()
	var err error
	if j.In, err = textfile.ReadDeclared(strings.NewReader(strings.Join(texts, "\n")), textfile.Options{Name: "texts", Format: textfile.Text}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if j.Out, err = vecfile.NewWriter(&b, vecfile.JSONL, vecfile.WriterOptions{Width: width}); err != nil {
		t.Fatal(err)
	}
	if _, err = vectorise.Run(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if err = j.Out.Close(); err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for line := range strings.Lines(b.String()) {
		var row struct{ Y []float64 }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		rows = append(rows, row.Y)
	}
	return rows
}
