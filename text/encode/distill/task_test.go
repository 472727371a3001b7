package distill_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/text/encode/distill"
	"sotto/text/encode/static"
)

// lessons asks a teacher which of two classes texts have: the second if one of the
// first words of the vocabulary is in it, or, where pairs count, if the same word
// comes twice in a row, which no sum over words tells.
func lessons(t *toy, all []string, pairs bool) (distill.Lessons, []int) {
	x, _ := t.teach(context.Background(), all) // it never fails
	l := distill.Lessons{Texts: all, Vectors: x, Answers: nn.NewMatrix(len(all), 2), Classes: []int{2}}
	labels := make([]int, len(all))
	for i, s := range all {
		w := strings.Fields(s)
		for j := range w {
			if !pairs && len(w[j]) == 2 && w[j] < "w3" || pairs && j > 0 && w[j] == w[j-1] {
				labels[i] = 1
			}
		}
		l.Answers.Row(i)[labels[i]], l.Answers.Row(i)[1-labels[i]] = 0.9, 0.1
	}
	return l, labels
}

// start is a table that knows nothing but where words differ.
func start(tb testing.TB, t *toy) *static.Encoder {
	tb.Helper()
	e, err := static.New("start", "", t.words, dim, t.table.Data)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// paired makes texts of which about half have a word twice in a row.
func paired(n int, seed uint64) []string {
	all := texts(n, seed)
	for i, s := range all {
		w := strings.Fields(s)
		w = slices.Compact(w)
		if i%2 == 0 {
			w = slices.Insert(w, 1, w[0])
		}
		all[i] = strings.Join(w, " ")
	}
	return all
}

// TestTask teaches each student what it can tell, and checks that the layer which it
// learnt with tells it from the vectors of what is saved and loaded.
func TestTask(t *testing.T) {
	toy := newToy(t)
	for _, tt := range []struct {
		student string
		pairs   bool
		least   float64
	}{{distill.Table, false, 0.9}, {distill.Chars, false, 0.9}, {distill.Words, false, 0.9}, {distill.Words, true, 0.8}} {
		draw := texts
		if tt.pairs {
			draw = paired
		}
		learn, _ := lessons(toy, draw(1500, 1), tt.pairs)
		check, labels := lessons(toy, draw(300, 2), tt.pairs)
		epochs := 0
		s := distill.TaskSettings{Student: tt.student, Dim: 12, Buckets: 1 << 12, Rate: 0.1, Name: "small", Notice: "whose"}
		got, err := distill.Task(t.Context(), s, toy.words, start(t, toy), learn, distill.Exam{Texts: check.Texts, Labels: [][]int{labels}}, nn.NewPool(2), func(distill.Report) { epochs++ })
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "student")
		if err := got.Save(path); err != nil {
			t.Fatal(err)
		}
		var encode func(dst []float32, s string)
		if tt.student == distill.Table {
			e, err := static.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			encode = e.Encode
		} else {
			e, err := static.LoadHashed(path)
			if err != nil {
				t.Fatal(err)
			}
			encode = e.Encode
		}
		fresh, newLabels := lessons(toy, draw(300, 3), tt.pairs)
		right := 0
		x := nn.NewMatrix(1, 12)
		scores := nn.NewMatrix(1, 2)
		for i, s := range fresh.Texts {
			encode(x.Data, s)
			nn.NewPool(1).Mul(scores, x, got.Weight)
			for j, b := range got.Bias {
				scores.Data[j] += b
			}
			if nn.Argmax(scores.Data) == newLabels[i] {
				right++
			}
		}
		if share := float64(right) / 300; share < tt.least {
			t.Errorf("%s, pairs %v: %.2f of the labels are told, want %.2f", tt.student, tt.pairs, share, tt.least)
		}
		if epochs < got.Epoch || got.Epoch < 1 || !(got.Loss < math.Ln2) || got.Settings.Dim != 12 || got.Bytes() < 12*30 {
			t.Errorf("%s: epoch %d of %d, loss %.3f, %d bytes", tt.student, got.Epoch, epochs, got.Loss, got.Bytes())
		}
	}
}

// TestTaskDeterminism checks that the number of workers does not show.
func TestTaskDeterminism(t *testing.T) {
	toy := newToy(t)
	learn, _ := lessons(toy, texts(200, 1), false)
	check, labels := lessons(toy, texts(50, 2), false)
	exam := distill.Exam{Texts: check.Texts, Labels: [][]int{labels}}
	for _, student := range distill.Students() {
		var want []byte
		for workers := range 3 {
			got, err := distill.Task(t.Context(), distill.TaskSettings{Student: student, Dim: 8, Buckets: 500, Epochs: 3, Seed: 7}, toy.words, start(t, toy), learn, exam, nn.NewPool(1+workers), nil)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if got.Table != nil {
				err = got.Table.Write(&b)
			} else {
				err = got.Hashed.Write(&b)
			}
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = b.Bytes()
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("%s: %d workers make another table", student, 1+workers)
			}
		}
	}
}

func TestTaskRefuses(t *testing.T) {
	toy := newToy(t)
	for want, change := range map[string]func(*distill.TaskSettings, *distill.Lessons, *distill.Exam){
		`student is "dog"`:     func(s *distill.TaskSettings, _ *distill.Lessons, _ *distill.Exam) { s.Student = "dog" },
		"dim is -1":            func(s *distill.TaskSettings, _ *distill.Lessons, _ *distill.Exam) { s.Dim = -1 },
		"rate is NaN":          func(s *distill.TaskSettings, _ *distill.Lessons, _ *distill.Exam) { s.Rate = math.NaN() },
		"drop is 1":            func(s *distill.TaskSettings, _ *distill.Lessons, _ *distill.Exam) { s.Drop = 1 },
		"99 texts":             func(_ *distill.TaskSettings, l *distill.Lessons, _ *distill.Exam) { l.Texts = l.Texts[:99] },
		"about 2 of 3 classes": func(_ *distill.TaskSettings, l *distill.Lessons, _ *distill.Exam) { l.Classes = []int{3} },
		"not finite": func(_ *distill.TaskSettings, l *distill.Lessons, _ *distill.Exam) {
			l.Answers.Data[3] = float32(math.NaN())
		},
		"0 to check":           func(_ *distill.TaskSettings, _ *distill.Lessons, e *distill.Exam) { e.Texts = nil },
		"label 1 of the texts": func(_ *distill.TaskSettings, _ *distill.Lessons, e *distill.Exam) { e.Labels[0][0] = 2 },
	} {
		learn, _ := lessons(toy, texts(120, 1), false)
		check, labels := lessons(toy, texts(10, 2), false)
		exam := distill.Exam{Texts: check.Texts, Labels: [][]int{labels}}
		var s distill.TaskSettings
		change(&s, &learn, &exam)
		_, err := distill.Task(t.Context(), s, toy.words, start(t, toy), learn, exam, nn.NewPool(1), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
	learn, _ := lessons(toy, texts(120, 1), false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := distill.Task(ctx, distill.TaskSettings{}, toy.words, start(t, toy), learn, distill.Exam{Texts: []string{"w1"}, Labels: [][]int{{0}}}, nn.NewPool(1), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after ctx ended: %v", err)
	}
}

func ExampleTask() {
	begin, err := static.Default()
	if err != nil {
		fmt.Println(err)
		return
	}
	// What a tuned transformer says of texts: a vector, and how likely each of two
	// classes is.
	var l distill.Lessons
	l.Classes = []int{2}
	for i := range 120 {
		good := i % 2
		l.Texts = append(l.Texts, []string{"a dreadful", "a wonderful"}[good]+" "+[]string{"film", "meal", "phone"}[i%3])
		l.Vectors.Data = append(l.Vectors.Data, float32(good), float32(i%3))
		l.Answers.Data = append(l.Answers.Data, 0.9-0.8*float32(good), 0.1+0.8*float32(good))
	}
	l.Vectors.Rows, l.Vectors.Cols, l.Answers.Rows, l.Answers.Cols = 120, 2, 120, 2
	exam := distill.Exam{Texts: []string{"a wonderful book", "a dreadful book"}, Labels: [][]int{{1, 0}}}
	student, err := distill.Task(context.Background(), distill.TaskSettings{Name: "small"}, begin.WordPiece(), begin, l, exam, nn.NewPool(1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := make([]float32, student.Settings.Dim)
	student.Encode(v, "a wonderful day")
	fmt.Println(student.Table.Name(), len(v), student.Loss < 0.3)
	// Output: small 128 true
}
