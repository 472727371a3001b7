package explain

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"sotto/text"
)

// Swap is another word in place of one of a text, and what the predictor says then.
type Swap struct {
	Word        string  `json:"word"`
	Prediction  string  `json:"prediction"`
	Probability float64 `json:"probability"` // of the class that was answered before
}

// Swaps asks a predictor about a text with each of some words in place of one of its
// own, and returns those that change the answer, the surest first: those that leave the
// least probability to the class that was answered. Each was tried on the predictor
// itself.
func Swaps(ctx context.Context, p Predictor, s string, word text.Span, words []string) (answer string, flips []Swap, err error) {
	if word.Start < 0 || word.End > len(s) || word.Start >= word.End {
		return "", nil, errors.New("explain: the word to replace does not lie in the text, must")
	}
	texts := []string{s}
	for _, w := range words {
		texts = append(texts, Replace(s, word, w))
	}
	rows, err := p.Predict(ctx, texts)
	if err != nil {
		return "", nil, err
	}
	names := p.Classes()
	if err := Check(rows, len(texts), len(names)); err != nil {
		return "", nil, err
	}
	class := Answer(rows[0])
	for i, w := range words {
		if row := rows[i+1]; Answer(row) != class {
			flips = append(flips, Swap{w, names[Answer(row)], row[class]})
		}
	}
	slices.SortStableFunc(flips, func(a, b Swap) int { return cmp.Compare(a.Probability, b.Probability) })
	return names[class], flips, nil
}
