package parse_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/study/language"
	"sotto/study/language/conllu"
	"sotto/study/language/parse"
)

// lesson is a treebank of two sentences that a network can learn by heart.
const lesson = "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n" +
	"2\tchased\tchase\tVERB\tVBD\t_\t0\troot\t_\t_\n" +
	"3\tcats\tcat\tNOUN\tNNS\t_\t2\tobj\t_\tSpaceAfter=No\n" +
	"4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n" +
	"1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n" +
	"2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t_\t_\n" +
	"3\tran\trun\tVERB\tVBD\t_\t0\troot\t_\t_\n" +
	"4\taway\taway\tADV\tRB\t_\t3\tadvmod\t_\t_\n\n"

func treebank(t testing.TB) *language.Document {
	t.Helper()
	all, err := conllu.ReadAll(strings.NewReader(lesson))
	if err != nil {
		t.Fatal(err)
	}
	return conllu.Document(all...)
}

// train learns the lesson on some workers.
func train(t testing.TB, workers int) *parse.Model {
	t.Helper()
	given := parse.Given{Words: []string{"dogs", "cats"}, Vectors: nn.NewMatrix(2, 16)}
	given.Vectors.Data[3], given.Vectors.Data[20] = 1, -1
	c := parse.Config{Shape: parse.Shape{Width: 32, Layers: "wr", Arc: 16, Label: 16}, Epochs: 60, Least: 1, Rate: 0.01}
	m, err := parse.Train(context.Background(), c, treebank(t), given, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func stored(t testing.TB, m *parse.Model) []byte {
	t.Helper()
	content, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// What is learnt by heart is said again, also by the stored model.
func TestLearns(t *testing.T) {
	m, err := parse.Decode(stored(t, train(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	want := treebank(t)
	got := &language.Document{Text: want.Text, Tokens: language.Tokens(want.Text)}
	for i := range got.Tokens {
		got.Tokens[i].Sentence = want.Tokens[i].Sentence
	}
	if err := m.Annotate(got); err != nil {
		t.Fatal(err)
	}
	for i := range want.Tokens {
		if got.Tokens[i] != want.Tokens[i] {
			t.Errorf("token %d is %+v, want %+v", i, got.Tokens[i], want.Tokens[i])
		}
	}
}

func TestWorkers(t *testing.T) {
	if !bytes.Equal(stored(t, train(t, 1)), stored(t, train(t, 3))) {
		t.Error("one worker and three train different models")
	}
}

// A sentence of any length, and of any bytes, is one tree.
func TestOneTree(t *testing.T) {
	m := train(t, 1)
	for _, text := range []string{"", "cat", strings.Repeat("dogs chased \xff\x00 cats, ", 250)} {
		d, err := language.Pipeline{m}.Document(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		roots := 0
		for i := range d.Tokens {
			if d.Tokens[i].DepRel == "root" {
				roots++
			}
			steps := 0
			for at := i; at >= 0; at = d.Tokens[at].Head {
				if steps++; steps > len(d.Tokens) {
					t.Fatalf("token %d of %d is in a cycle", i, len(d.Tokens))
				}
			}
		}
		if roots != min(len(d.Tokens), 1) {
			t.Errorf("%d tokens have %d roots", len(d.Tokens), roots)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	bare := treebank(t)
	bare.Tokens[2].DepRel = ""
	for _, tt := range []struct {
		name   string
		config parse.Config
		d      *language.Document
		want   string
	}{
		{"width", parse.Config{Shape: parse.Shape{Width: 33}}, treebank(t), "width is 33"},
		{"layers", parse.Config{Shape: parse.Shape{Layers: "x"}}, treebank(t), "must be w or r"},
		{"rate", parse.Config{Rate: -1}, treebank(t), "rate is -1"},
		{"no tree", parse.Config{}, bare, "word 2 of sentence 0"},
		{"nothing", parse.Config{}, &language.Document{}, "no words"},
	} {
		if _, err := parse.Train(context.Background(), tt.config, tt.d, parse.Given{}, 1, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Train() error = %v, want one with %q", tt.name, err, tt.want)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := parse.Train(ctx, parse.Config{}, treebank(t), parse.Given{}, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Train() error = %v, want %v", err, context.Canceled)
	}
}

// A damaged model is refused or is a model, and never a panic.
func FuzzDecode(f *testing.F) {
	content := stored(f, train(f, 1))
	f.Add(content)
	f.Add(content[:len(content)-1])
	f.Add(append(bytes.Clone(content), 0))
	f.Add([]byte("\x02\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<20 {
			return
		}
		m, err := parse.Decode(content)
		if err != nil {
			return
		}
		d, err := language.Pipeline{m}.Document("Dogs ran.")
		if err == nil {
			err = d.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	content := stored(t, train(t, 1))
	for _, n := range []int{0, 3, 40, len(content) - 1} {
		if _, err := parse.Decode(content[:n]); !errors.Is(err, parse.ErrFormat) {
			t.Errorf("Decode() of %d of %d bytes: error = %v, want %v", n, len(content), err, parse.ErrFormat)
		}
	}
	if _, err := parse.Decode(append(content, 0)); !errors.Is(err, parse.ErrFormat) {
		t.Errorf("Decode() of a byte too many: error = %v, want %v", err, parse.ErrFormat)
	}
}
