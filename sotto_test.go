package sotto_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto"
	"sotto/command"
	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/client"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/study/language/mask"
	"sotto/text"
	"sotto/text/encode"
)

// messages writes the invented messages as a file.
func messages(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), dataset.SampleName)
	if err := os.WriteFile(path, []byte(dataset.SampleMessages()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// texts returns the messages of a file of them.
func texts(t *testing.T, content string) (all []string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		all = append(all, row[slices.Index(rows[0], "message")])
	}
	return all
}

// train runs a spec on the messages, and returns its folder.
func train(t *testing.T, change func(*experiment.Spec)) string {
	t.Helper()
	s := experiment.Spec{In: experiment.Path(messages(t)), Label: "topic", Methods: []string{"label"}, Epsilons: []float64{4}}
	s.Text = "message"
	if change != nil {
		change(&s)
	}
	dir := filepath.Join(t.TempDir(), "model")
	if _, err := experiment.Run(text.WithTypes(t.Context(), mask.Maskers{}), s.Fresh(), experiment.Options{Out: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t *testing.T, dir string, options ...sotto.Option) *sotto.Model {
	t.Helper()
	m, err := sotto.Open(t.Context(), dir, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// TestTrain trains from a table, releases with the guarantee beside it, and decodes.
func TestTrain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	m, err := sotto.Train(t.Context(), messages(t), sotto.Training{Text: "message", Label: "topic", Method: "codes", Epsilon: 4, Out: dir})
	if err != nil {
		t.Fatal(err)
	}
	if m.Folder() != filepath.Join(dir, "seed-1") || !(m.Measured()["accuracy"] > 0.5) {
		t.Errorf("the model lies in %s and measured %v", m.Folder(), m.Measured())
	}
	for _, m := range []*sotto.Model{m, open(t, dir), open(t, filepath.Join(dir, "seed-1"))} {
		all, err := m.ReleaseBatch(t.Context(), texts(t, dataset.SampleNewMessages()))
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 200 {
			t.Fatalf("%d releases, want 200", len(all))
		}
		for _, r := range all {
			g := r.Guarantee
			if len(r.Vector) != 1 || g.Unit != dp.Text || g.Epsilon.String() != "4" || g.Delta != 0 || r.Uncovered != "" || r.Scope == "" || r.Against == "" {
				t.Fatalf("release %+v, want a code at ε = 4", r)
			}
			if !slices.ContainsFunc(g.Assumptions, func(a string) bool { return strings.Contains(a, "trained") && strings.Contains(a, "not covered") }) {
				t.Fatalf("assumptions %q do not say whom the guarantee does not cover", g.Assumptions)
			}
			labels, err := m.Decode(r)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, p := range labels[0].Probabilities {
				sum += p
			}
			if len(labels) != 1 || labels[0].Name != "topic" || len(labels[0].Probabilities) != 5 || math.Abs(sum-1) > 1e-6 {
				t.Fatalf("labels %+v, want a topic of five with probabilities of sum 1", labels)
			}
			if best := labels[0].Probabilities[labels[0].Class]; best < 0.2 {
				t.Fatalf("class %q has probability %v, must be the likeliest of five", labels[0].Class, best)
			}
		}
	}
}

// TestTrained: what a model was trained on is refused, all of it and nothing else, unless
// it is asked for; then no ε is stated.
func TestTrained(t *testing.T) {
	dir := train(t, nil)
	m, included := open(t, dir), open(t, dir, sotto.IncludeTrained())
	refused := 0
	for _, s := range texts(t, dataset.SampleMessages()) {
		_, err := m.Release(t.Context(), s)
		if err == nil {
			continue
		}
		refused++
		if !errors.Is(err, sotto.ErrTrained) || strings.Contains(err.Error(), s) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("error %q, want ErrTrained in a line that quotes nothing", err)
		}
		r, err := included.Release(t.Context(), s)
		if err != nil || r.Uncovered == "" || r.Guarantee.Epsilon != dp.Infinite || len(r.Vector) != 1 {
			t.Fatalf("release %+v with error %v, want one of which nothing is promised", r, err)
		}
	}
	if refused != 400 { // 60 and 20 percent of 500
		t.Errorf("%d texts are refused, want those of the parts that train and validate", refused)
	}
	both := []string{"is there a shop near me?", texts(t, dataset.SampleMessages())[0], texts(t, dataset.SampleMessages())[1], texts(t, dataset.SampleMessages())[2]}
	if all, err := m.ReleaseBatch(t.Context(), both); all != nil || !errors.Is(err, sotto.ErrTrained) {
		t.Errorf("%d releases with error %v, want none of a batch with a text that was trained on", len(all), err)
	}
	all, err := included.ReleaseBatch(t.Context(), both[:1])
	if err != nil || all[0].Uncovered != "" || all[0].Guarantee.Epsilon.String() != "4" {
		t.Errorf("another text has release %+v, %v", all, err)
	}
}

// TestSameAsEncode: at an ε at which noise changes a code with a probability below e^−40,
// the package and sotto encode release the same codes.
func TestSameAsEncode(t *testing.T) {
	dir := train(t, func(s *experiment.Spec) { s.Epsilons = []float64{60} })
	all, err := open(t, dir).ReleaseBatch(t.Context(), texts(t, dataset.SampleNewMessages()))
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(t.TempDir(), dataset.SampleNewName), filepath.Join(t.TempDir(), "codes.jsonl")
	if err = os.WriteFile(in, []byte(dataset.SampleNewMessages()), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c := command.NewRoot(term.Streams{In: strings.NewReader(""), Out: &said, Err: &said})
	c.SetArgs([]string{"encode", "--model", dir, "--in", in, "--text", "message", "--out", out})
	if err = c.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines, seen := strings.Split(strings.TrimSpace(string(content)), "\n"), map[float64]bool{}
	if len(lines) != len(all) {
		t.Fatalf("%d lines and %d releases", len(lines), len(all))
	}
	for i, line := range lines {
		var code struct {
			Y []float64 `json:"y"`
		}
		if err = json.Unmarshal([]byte(line), &code); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !slices.Equal(code.Y, all[i].Vector) {
			t.Errorf("text %d: encode releases %v, the package %v", i, code.Y, all[i].Vector)
		}
		seen[code.Y[0]] = true
	}
	if len(seen) < 3 {
		t.Errorf("%d codes were released, must be several to compare", len(seen))
	}
}

// TestSeveral: which model is meant is not guessed, and those are listed that can be opened.
func TestSeveral(t *testing.T) {
	dir := train(t, func(s *experiment.Spec) { s.Methods, s.Epsilons = []string{"label", "unconstrained"}, []float64{2, 4} })
	_, err := sotto.Open(t.Context(), dir)
	if err == nil || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "unconstrained") {
		t.Fatalf("error %v, want a line with what can be opened", err)
	}
	_, list, _ := strings.Cut(err.Error(), "must be one of ")
	var found []string
	for _, folder := range strings.Split(list, ", ") {
		found = append(found, open(t, folder).Guarantee().Epsilon.String())
	}
	if slices.Sort(found); !slices.Equal(found, []string{"2", "4"}) {
		t.Errorf("models of ε %v can be opened, want 2 and 4: %v", found, err)
	}
}

// TestFresh: no two releases have the same noise, by one model or two.
func TestFresh(t *testing.T) {
	p := mech.Params{Mechanism: "laplace-l1", Epsilon: 4}
	seen := map[string]bool{}
	for range 2 {
		m, err := sotto.OpenMechanism(t.Context(), "hash:32", p)
		if err != nil {
			t.Fatal(err)
		}
		all, err := m.ReleaseBatch(t.Context(), slices.Repeat([]string{"the same text"}, 20))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if len(r.Vector) != 32 || r.Guarantee.Epsilon.String() != "4" {
				t.Fatalf("release %+v, want 32 numbers at ε = 4", r)
			}
			seen[fmt.Sprint(r.Vector)] = true
		}
		if _, err = m.Decode(all[0]); err == nil || m.Folder() != "" || m.Measured() != nil {
			t.Error("a mechanism without a model passes for one")
		}
	}
	if len(seen) != 40 {
		t.Errorf("%d different releases of 40", len(seen))
	}
}

// TestConcurrent releases and decodes through one model from several goroutines, for the
// race detector; each gets all of its releases.
func TestConcurrent(t *testing.T) {
	m, few := open(t, train(t, nil)), texts(t, dataset.SampleNewMessages())[:20]
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			released, err := m.ReleaseBatch(t.Context(), few)
			if err != nil || len(released) != len(few) {
				t.Errorf("%d releases with error %v, want %d", len(released), err, len(few))
			}
			for _, r := range released {
				if labels, err := m.Decode(r); err != nil || len(labels) != 1 {
					t.Errorf("labels %v with error %v", labels, err)
				}
			}
		})
	}
	all.Wait()
}

// TestMasks: a model that was trained with masks is opened with the same ones or not at all.
func TestMasks(t *testing.T) {
	dir := train(t, func(s *experiment.Spec) { s.Mask = "types:email" })
	if _, err := sotto.Open(t.Context(), dir); !errors.Is(err, text.ErrNoTypes) {
		t.Errorf("error %v, want that types are not known", err)
	}
	m, err := sotto.Open(text.WithTypes(t.Context(), mask.Maskers{}), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.Release(t.Context(), "write to ann@lovelace.org"); err != nil {
		t.Error(err)
	}
	list, err := text.ParseMaskList(strings.NewReader("wolf\nlamb\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := mech.Params{Mechanism: "laplace-l1", Epsilon: 1e6}
	masked, err := sotto.OpenMechanism(t.Context(), "hash:64", p, sotto.Mask(list))
	if err != nil {
		t.Fatal(err)
	}
	all, err := masked.ReleaseBatch(t.Context(), []string{"a wolf sleeps", "a lamb sleeps", "a lion sleeps"})
	if err != nil {
		t.Fatal(err)
	}
	apart := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += math.Abs(a[i] - b[i])
		}
		return sum
	}
	// 128 draws of scale 2·10⁻⁶ exceed 0.01 in sum with a probability far below 10⁻⁵.
	if same, other := apart(all[0].Vector, all[1].Vector), apart(all[0].Vector, all[2].Vector); same > 0.01 || other < 0.1 {
		t.Errorf("masked texts are %v apart and others %v, want the masked ones alone to be alike", same, other)
	}
}

func TestRefuses(t *testing.T) {
	plain := train(t, func(s *experiment.Spec) { s.Methods, s.Epsilons = []string{"unconstrained"}, nil })
	numbers := train(t, func(s *experiment.Spec) {
		s.Numbers = []string{"age"}
		years := strings.NewReplacer(",under 40", ",33", ",40 and over", ",61").Replace(dataset.SampleMessages())
		if err := os.WriteFile(string(s.In), []byte(years), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	for _, tt := range []struct {
		name string
		try  func(context.Context) error
		want string
	}{
		{"no folder", opening(filepath.Join(plain, "none")), "no such file"},
		{"no model", opening(t.TempDir()), "holds no model"},
		{"no protection", opening(plain), "must have one"},
		{"columns beside texts", opening(numbers), "takes the columns age"},
		{"no ε", mechanism("default", mech.Params{Mechanism: "laplace-l1"}), "no ε"},
		{"no such mechanism", mechanism("default", mech.Params{Mechanism: "laplace", Epsilon: 1}), "laplace"},
		{"no such encoder", mechanism("nobody", mech.Params{Mechanism: "laplace-l1", Epsilon: 1}), "nobody"},
		{"cells of another encoder", mechanism("hash:64", mech.Params{Mechanism: "cells", Epsilon: 1}), "hash:64"},
		{"a promise of nothing", mechanism("default", mech.Params{Mechanism: "dpnr", Variant: "released", Epsilon: 1}), "promises nothing"},
		{"another width", mechanism("default", mech.Params{Mechanism: "laplace-l1", Dim: 7, Epsilon: 1}), "rows of 7 numbers"},
		{"no label", func(ctx context.Context) error {
			_, err := sotto.Train(ctx, messages(t), sotto.Training{Text: "message", Epsilon: 1, Out: t.TempDir()})
			return err
		}, "label"},
		{"no column", func(ctx context.Context) error {
			_, err := sotto.Train(ctx, messages(t), sotto.Training{Text: "letter", Label: "topic", Epsilon: 1, Out: t.TempDir()})
			return err
		}, "letter"},
		{"two mistakes", func(ctx context.Context) error {
			_, err := sotto.Train(ctx, messages(t), sotto.Training{Text: "topic", Label: "topic", Method: "guesswork", Epsilon: 1e9, Out: t.TempDir()})
			return err
		}, "; "},
		{"NaN", func(ctx context.Context) error {
			_, err := sotto.Train(ctx, messages(t), sotto.Training{Text: "message", Label: "topic", Epsilon: math.NaN(), Out: t.TempDir()})
			return err
		}, "ε is not positive"},
		{"bytes", func(ctx context.Context) error {
			m, err := sotto.OpenMechanism(ctx, "default", mech.Params{Mechanism: "laplace-l1", Epsilon: 1})
			if err != nil {
				return err
			}
			_, err = m.Release(ctx, "caf\xe9")
			return err
		}, "not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.try(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, tt.want)
			}
		})
	}
}

func opening(dir string) func(context.Context) error {
	return func(ctx context.Context) error { _, err := sotto.Open(ctx, dir); return err }
}

func mechanism(encoder string, p mech.Params) func(context.Context) error {
	return func(ctx context.Context) error { _, err := sotto.OpenMechanism(ctx, encoder, p); return err }
}

// TestDecodeRefuses: what is no release of the model is not read as one.
func TestDecodeRefuses(t *testing.T) {
	m := open(t, train(t, nil))
	for _, v := range [][]float64{nil, {-1}, {5}, {0.5}, {math.NaN()}, {math.Inf(1)}, {0, 1}, {math.NaN(), 0, 0, 0, 0}} {
		if labels, err := m.Decode(sotto.Release{Vector: v}); err == nil {
			t.Errorf("%v is read as %v", v, labels)
		}
	}
	one, err := m.Decode(sotto.Release{Vector: []float64{3}})
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := m.Decode(sotto.Release{Vector: []float64{0, 0, 0, 1, 0}}); err != nil || whole[0].Class != one[0].Class {
		t.Errorf("a code is read as %v, and its vector as %v, %v", one, whole, err)
	}
}

// TestGateway asks a real gateway until the budget is spent.
func TestGateway(t *testing.T) {
	book, err := ledger.OpenFile(filepath.Join(t.TempDir(), "ledger"), ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: 16, Window: 24 * time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	e, err := encode.NewHash(32)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mech.New(mech.Params{Mechanism: "codebook", Dim: 32, Epsilon: 8})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := gateway.NewSecret(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(t.Context(), gateway.Config{Encoder: e, Mechanism: m, Ledger: book, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: g})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(service)
	defer s.Close()
	dialled, err := sotto.Dial(s.URL, client.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	all, err := dialled.Release(t.Context(), "alice", "I feel unwell today", "so do I")
	if err != nil {
		t.Fatal(err)
	}
	if r := all[1]; len(all) != 2 || len(r.Vector) != 32 || r.Guarantee.Epsilon.String() != "8" || r.Guarantee.Unit != dp.Text || r.Scope == "" || r.Against == "" {
		t.Errorf("%d releases such as %+v, want two at ε = 8", len(all), r)
	}
	var over *client.OverBudget
	if all, err = dialled.Release(t.Context(), "alice", "and so does he"); !errors.As(err, &over) || all != nil {
		t.Errorf("%d releases with error %v, want that the budget is spent", len(all), err)
	}
}
