package distill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode/static"
)

// The students that a tuned transformer can teach.
const (
	Table = "table" // a vector for each subword of the transformer's vocabulary
	Words = "words" // vectors for words and pairs of words, hashed
	Chars = "chars" // vectors for words and parts of words, hashed
)

// Students returns the students by name.
func Students() []string { return []string{Table, Words, Chars} }

// TaskSettings decide what a tuned transformer teaches to whom. The zero value uses
// the defaults.
type TaskSettings struct {
	Student  string  `json:"student"`           // one of [Students]; "" means Table
	Dim      int     `json:"dim"`               // of its vectors; 0 means 128
	Buckets  int     `json:"buckets,omitempty"` // places that words are hashed to; 0 means 131,072
	Rate     float64 `json:"rate"`              // of Adagrad; 0 means 0.05
	Epochs   int     `json:"epochs"`            // at most; 0 means 30
	Patience int     `json:"patience"`          // epochs without gain before it ends; 0 means 3
	// Drop is the share of a text's parts that are left out in training, others each
	// time, so that no part alone is relied on; 0 means 0.2.
	Drop float64 `json:"drop"`
	// Vectors is the weight of the teacher's vectors beside its answers; 0 means 1, and
	// a negative one none.
	Vectors float64 `json:"vectors"`
	Seed    uint64  `json:"seed,omitempty"`
	Name    string  `json:"-"`
	Notice  string  `json:"-"`
}

func (s TaskSettings) filled() (TaskSettings, error) {
	s.Student, s.Dim, s.Buckets = cmp.Or(s.Student, Table), cmp.Or(s.Dim, 128), cmp.Or(s.Buckets, 1<<17)
	s.Rate, s.Epochs, s.Patience = cmp.Or(s.Rate, 0.05), cmp.Or(s.Epochs, 30), cmp.Or(s.Patience, 3)
	s.Drop, s.Vectors = cmp.Or(s.Drop, 0.2), cmp.Or(s.Vectors, 1)
	switch {
	case !slices.Contains(Students(), s.Student):
		return s, fmt.Errorf("distill: student is %.40q, must be one of %s", s.Student, strings.Join(Students(), ", "))
	case s.Dim < 1 || s.Buckets < 1:
		return s, fmt.Errorf("distill: dim is %d and buckets %d, must be positive", s.Dim, s.Buckets)
	case !(s.Rate > 0 && s.Rate <= 1e3) || s.Epochs < 1 || s.Patience < 1:
		return s, fmt.Errorf("distill: rate is %v, epochs %d and patience %d, must be positive and finite", s.Rate, s.Epochs, s.Patience)
	case !(s.Drop >= 0 && s.Drop < 1) || !(math.Abs(s.Vectors) <= 1e6):
		return s, fmt.Errorf("distill: drop is %v and the weight of vectors %v, must be in [0, 1) and finite", s.Drop, s.Vectors)
	}
	if s.Student == Table {
		s.Buckets = 0
	}
	s.Vectors = max(s.Vectors, 0)
	return s, nil
}

// Validate reports the first fault.
func (s TaskSettings) Validate() error {
	_, err := s.filled()
	return err
}

// Lessons are texts with what a teacher says of each.
type Lessons struct {
	Texts   []string
	Vectors nn.Matrix
	Answers nn.Matrix // probabilities of the classes of each label, those of the first label first
	Classes []int     // of each label
}

// Exam is texts with labels, of which a class of −1 is not known.
type Exam struct {
	Texts  []string
	Labels [][]int // of each label the class of each text
}

// Taught is what a student has become.
type Taught struct {
	Table  *static.Encoder // nil unless the student is [Table]
	Hashed *static.Hashed  // nil if it is
	// Weight and Bias tell the labels from its vectors as it learnt to: a text's scores
	// are x·Weight + Bias.
	Weight nn.Matrix
	Bias   []float32
	// Settings are those that it learnt with, defaults filled in.
	Settings TaskSettings
	Epoch    int     // that is kept, from 1
	Loss     float64 // of the exam in that epoch: the mean cross-entropy of a label
}

// Encode fills dst with the student's vector of a text.
func (t *Taught) Encode(dst []float32, s string) {
	if t.Table != nil {
		t.Table.Encode(dst, s)
		return
	}
	t.Hashed.Encode(dst, s)
}

// Bytes returns how large its table is.
func (t *Taught) Bytes() int {
	rows := t.Settings.Buckets
	if t.Table != nil {
		rows = len(t.Table.WordPiece().Vocabulary())
	}
	return rows * (4 + t.Settings.Dim)
}

// Save writes the student to a file, which appears whole or not at all.
func (t *Taught) Save(path string) error {
	if t.Table != nil {
		return t.Table.Save(path)
	}
	return t.Hashed.Save(path)
}

// Task teaches a tuned transformer's answers to a table that is a thousand times
// faster: its probabilities, and the main directions of its vectors, are learnt from
// the student's vectors by one linear layer, while the vectors move. The student
// begins with what start knows of words, and keeps the epoch that tells the labels of
// the exam best. It tells of epochs, unless tell is nil, and returns the error of ctx
// soon after ctx is done. Equal arguments give equal students, for any number of
// workers.
func Task(ctx context.Context, s TaskSettings, words *text.WordPiece, start *static.Encoder, lessons Lessons, exam Exam, p *nn.Pool, tell func(Report)) (*Taught, error) {
	s, err := s.filled()
	if err != nil {
		return nil, err
	}
	if err = lessons.validate(exam); err != nil {
		return nil, err
	}
	if tell == nil {
		tell = func(Report) {}
	}
	l, err := newPupil(s, words, start, lessons, p)
	if err != nil {
		return nil, err
	}
	return l.learn(ctx, exam, tell)
}

func (l Lessons) validate(e Exam) error {
	n, classes := len(l.Texts), 0
	for _, c := range l.Classes {
		classes += c
	}
	if n < minTexts || l.Vectors.Rows != n || l.Answers.Rows != n || l.Answers.Cols != classes || classes < 2 || len(e.Texts) == 0 || len(e.Labels) != len(l.Classes) {
		return fmt.Errorf("distill: %d texts with %d vectors and %d answers about %d of %d classes, and %d to check, must be as many of each, at least %d and 1", n, l.Vectors.Rows, l.Answers.Rows, l.Answers.Cols, classes, len(e.Texts), minTexts)
	}
	for _, x := range [][]float32{l.Vectors.Data, l.Answers.Data} {
		if slices.ContainsFunc(x, func(v float32) bool { return v-v != 0 }) {
			return errors.New("distill: the teacher gave a number that is not finite")
		}
	}
	for i, y := range e.Labels {
		if len(y) != len(e.Texts) || slices.ContainsFunc(y, func(c int) bool { return c >= l.Classes[i] }) {
			return fmt.Errorf("distill: label %d of the texts to check is out of range, must be below %d", i+1, l.Classes[i])
		}
	}
	return nil
}

// grams are the parts that a hashed student has vectors for.
func (s TaskSettings) grams() static.Grams {
	if s.Student == Chars {
		return static.Grams{Words: 1, From: 3, To: 5}
	}
	return static.Grams{Words: 2}
}

// rows returns the rows of a text in the student's table.
func (s TaskSettings) rows(words *text.WordPiece, t string) []int32 {
	if s.Student == Table {
		return known(words, t)
	}
	return s.grams().Rows(t, s.Buckets)
}

// begin returns the table that learning begins with: what start knows of each token,
// or of each word of its vocabulary and of the lessons.
func (s TaskSettings) begin(words *text.WordPiece, start *static.Encoder, lessons []string) nn.Matrix {
	put := func(row, tokens []int32, to nn.Matrix) {
		for _, at := range row {
			dst := to.Row(int(at))
			clear(dst)
			for _, id := range tokens {
				for j, v := range start.Row(int(id)) {
					if j < len(dst) {
						dst[j] += v
					}
				}
			}
		}
	}
	vocabulary := words.Vocabulary()
	if s.Student == Table {
		table := nn.NewMatrix(len(vocabulary), s.Dim)
		same := slices.Equal(vocabulary, start.WordPiece().Vocabulary())
		for i, token := range spelt(vocabulary) {
			tokens := start.Tokens(token)
			if same {
				tokens = []int32{int32(i)}
			}
			put([]int32{int32(i)}, tokens, table)
		}
		return table
	}
	table := nn.NewMatrix(s.Buckets, s.Dim)
	one, seen := static.Grams{Words: 1}, map[string]bool{}
	add := func(t string) {
		for word := range text.Words(t) {
			if !seen[word] {
				seen[word] = true
				put(one.Rows(word, s.Buckets), start.Tokens(word), table)
			}
		}
	}
	for _, t := range slices.Backward(vocabulary) { // the commonest last, which stay where words share a place
		if t == spelt([]string{t})[0] {
			add(t)
		}
	}
	for _, t := range lessons {
		add(t)
	}
	return table
}

// pupil learns.
type pupil struct {
	TaskSettings
	words   *text.WordPiece
	pool    *nn.Pool
	classes []int
	table   nn.Matrix
	squares []float32 // sums of squared gradients of the table, for Adagrad
	rows    [][]int32 // of each lesson
	goals   nn.Matrix // of each lesson: probabilities, then directions
	head    *nn.Dense
	adagrad []nn.Matrix // sums of squared gradients of the head

	sum, unit, dUnit nn.Matrix
	lengths          []float64
}

// mostDirections is how many directions of the teacher's vectors are learnt.
const mostDirections = 64

func newPupil(s TaskSettings, words *text.WordPiece, start *static.Encoder, lessons Lessons, p *nn.Pool) (*pupil, error) {
	l := &pupil{TaskSettings: s, words: words, pool: p, classes: lessons.Classes, table: s.begin(words, start, lessons.Texts)}
	l.squares = make([]float32, len(l.table.Data))
	for _, t := range lessons.Texts {
		l.rows = append(l.rows, s.rows(words, t))
	}
	directions := 0
	var main nn.Matrix
	if s.Vectors > 0 {
		directions = min(mostDirections, lessons.Vectors.Cols)
		basis, mean, err := components(lessons.Vectors, directions)
		if err != nil {
			return nil, err
		}
		main = project(lessons.Vectors, basis, mean)
		even(main)
	}
	answers := lessons.Answers.Cols
	l.goals = nn.NewMatrix(len(l.rows), answers+directions)
	for i := range l.rows {
		copy(l.goals.Row(i), lessons.Answers.Row(i))
		if directions > 0 {
			copy(l.goals.Row(i)[answers:], main.Row(i))
		}
	}
	l.head = nn.NewDense(s.Dim, answers+directions, weakrand.New(weakrand.NewPCG(s.Seed, 0x68656164)))
	for _, q := range l.head.Params() {
		l.adagrad = append(l.adagrad, nn.NewMatrix(q.Value.Rows, q.Value.Cols))
	}
	return l, nil
}

// even scales directions so that their squares sum to 1 on average.
func even(x nn.Matrix) {
	square := 0.0
	for _, v := range x.Data {
		square += float64(v) * float64(v)
	}
	if !(square > 0) {
		return
	}
	by := float32(math.Sqrt(float64(x.Rows) / square))
	for i := range x.Data {
		x.Data[i] *= by
	}
}
