// Package distill makes a static encoder from a transformer: a vector for each
// subword, fitted so that the sum over a text points where the transformer's
// vector of the text points.
//
// It follows what is known of such tables. The transformer encodes every token
// by itself; a principal component analysis of its vectors of texts shortens
// them; common tokens weigh less (Zipf's law, by their place in the vocabulary);
// and then the table is trained on texts, by Adagrad, for as many epochs as a
// part of the texts that is held out gains from.
//
// It is not for private texts: the table remembers what it was made from, and
// nothing bounds how much. The smallest use is
//
//	e, err := distill.Run(ctx, distill.Settings{Name: "mine"}, words, teach, texts, nil)
//	if err != nil {
//		return err
//	}
//	return e.Save("mine.static")
package distill

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode/static"
)

// Teacher encodes many texts, one row each.
type Teacher func(ctx context.Context, texts []string) (nn.Matrix, error)

// Settings decide a distillation. The zero value uses the defaults.
type Settings struct {
	Dim      int     `json:"dim,omitempty"`      // of the table's vectors; 0 means 128
	Rate     float64 `json:"rate,omitempty"`     // of Adagrad; 0 means 0.1
	Epochs   int     `json:"epochs,omitempty"`   // at most; 0 means 30
	HeldOut  float64 `json:"held_out,omitempty"` // share of the texts; 0 means 0.05
	Seed     uint64  `json:"seed,omitempty"`     // of the order of texts
	Name     string  `json:"name"`
	Notice   string  `json:"notice"`
	Patience int     `json:"patience,omitempty"` // epochs without gain before it ends; 0 means 2
}

// Report is told of each step.
type Report struct {
	Stage string  // "tokens", "texts" or "epoch"
	Done  int     // of Total
	Total int     // tokens, texts or epochs
	Loss  float64 // of the held-out texts after an epoch: the mean of 1 − cosine
}

func (s Settings) filled() (Settings, error) {
	if s.Dim == 0 {
		s.Dim = 128
	}
	if s.Rate == 0 {
		s.Rate = 0.1
	}
	if s.Epochs == 0 {
		s.Epochs = 30
	}
	if s.HeldOut == 0 {
		s.HeldOut = 0.05
	}
	if s.Patience == 0 {
		s.Patience = 2
	}
	switch {
	case s.Dim < 1:
		return s, fmt.Errorf("distill: dim is %d, must be positive", s.Dim)
	case !(s.Rate > 0 && s.Rate <= math.MaxFloat64) || s.Epochs < 1 || s.Patience < 1:
		return s, fmt.Errorf("distill: rate is %v, epochs %d and patience %d, must be positive and finite", s.Rate, s.Epochs, s.Patience)
	case !(s.HeldOut > 0 && s.HeldOut < 1):
		return s, fmt.Errorf("distill: held_out is %v, must be in (0, 1)", s.HeldOut)
	}
	return s, nil
}

// minTexts is the number of texts below which nothing can be learnt.
const minTexts = 100

// Run makes a static encoder over the teacher's own vocabulary, which words
// holds. It tells of its steps, unless tell is nil, from the goroutine that
// called it, and returns the error of ctx soon after ctx is done. Equal
// arguments give equal tables.
func Run(ctx context.Context, s Settings, words *text.WordPiece, teach Teacher, texts []string, tell func(Report)) (*static.Encoder, error) {
	s, err := s.filled()
	if err != nil {
		return nil, err
	}
	if len(texts) < minTexts {
		return nil, fmt.Errorf("distill: %d texts, must be at least %d", len(texts), minTexts)
	}
	if tell == nil {
		tell = func(Report) {}
	}
	alone, err := inParts(ctx, s, teach, spelt(words.Vocabulary()), "tokens", tell)
	if err != nil {
		return nil, err
	}
	whole, err := inParts(ctx, s, teach, texts, "texts", tell)
	if err != nil {
		return nil, err
	}
	if whole.Cols != alone.Cols {
		return nil, errLengths
	}
	basis, mean, err := components(whole, s.Dim)
	if err != nil {
		return nil, err
	}
	table := project(alone, basis, mean)
	weigh(table, words.Vocabulary())
	l := learner{Settings: s, table: table, squares: make([]float32, len(table.Data)), goals: project(whole, basis, mean)}
	for _, t := range texts {
		l.tokens = append(l.tokens, known(words, t))
	}
	if err := l.learn(ctx, tell); err != nil {
		return nil, err
	}
	return static.New(s.Name, s.Notice, words, s.Dim, l.table.Data)
}

// teacherTokens is how much of a text the teacher saw.
const teacherTokens = 256

// spelt returns tokens as texts: continuations without their mark, and special
// tokens as nothing.
func spelt(vocabulary []string) []string {
	out := make([]string, len(vocabulary))
	for i, t := range vocabulary {
		if !special(t) {
			out[i] = strings.TrimPrefix(t, "##")
		}
	}
	return out
}

// special reports whether a token stands for no part of a text.
func special(token string) bool {
	return len(token) > 2 && strings.HasPrefix(token, "[") && strings.HasSuffix(token, "]")
}

// known returns the tokens of a text that can have a vector: static.New gives
// none to the unknown one.
func known(words *text.WordPiece, s string) []int32 {
	ids := words.Encode(s, teacherTokens).IDs
	unknown, _ := words.ID("[UNK]") // every WordPiece has it
	return slices.DeleteFunc(ids[1:len(ids)-1], func(id int32) bool { return id == unknown })
}

var errLengths = errors.New("distill: the teacher gave another number of vectors than texts, or of other lengths")

// inParts asks the teacher for some texts at a time, so that one can stop and
// see how far it is, and what cannot work ends before much was done.
func inParts(ctx context.Context, s Settings, teach Teacher, texts []string, stage string, tell func(Report)) (nn.Matrix, error) {
	const size = 4096
	var all nn.Matrix
	for part := range slices.Chunk(texts, size) {
		if err := ctx.Err(); err != nil {
			return nn.Matrix{}, fmt.Errorf("distill: %w", err)
		}
		x, err := teach(ctx, part)
		switch {
		case err != nil:
			return nn.Matrix{}, err
		case x.Rows != len(part) || all.Rows > 0 && x.Cols != all.Cols:
			return nn.Matrix{}, errLengths
		case s.Dim > x.Cols:
			return nn.Matrix{}, fmt.Errorf("distill: dim is %d, must be at most the teacher's %d", s.Dim, x.Cols)
		}
		for _, v := range x.Data {
			if v-v != 0 { // NaN or infinity
				return nn.Matrix{}, errors.New("distill: the teacher gave a number that is not finite")
			}
		}
		all = nn.Matrix{Rows: all.Rows + x.Rows, Cols: x.Cols, Data: append(all.Data, x.Data...)}
		tell(Report{Stage: stage, Done: all.Rows, Total: len(texts)})
	}
	return all, nil
}
