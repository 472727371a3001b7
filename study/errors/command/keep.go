package errors

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sotto/command/term"
	failing "sotto/study/errors"
)

// resultFile is the name of the result in the folder of --out.
const resultFile = "errors.json"

// keep writes what ranks new texts, and the result, into the folder of --out.
func (o *errorsOptions) keep(ctx context.Context, in *input, x *failing.Features, r *failing.Result) error {
	a := &failing.Answers{Wrong: in.wrong, Features: x.Frequent(o.MinRows), Confidence: in.confidence, Probabilities: in.probabilities}
	c := failing.Columns{Text: o.Text, Predicted: o.predicted, Confidence: o.confidence, Probabilities: o.probabilities, Features: o.featureNames, Lexicons: in.lexicons}
	if in.model != nil {
		c.Model = in.model.digest
		if in.model.received != nil {
			c.Draws, c.DrawSeed = o.draws, in.model.seed
		}
	}
	f := o.Forest
	f.Seed = o.Seed
	w, err := failing.NewWorklist(ctx, a, c, f, o.Workers)
	if err != nil {
		return interrupted(err)
	}
	if err = os.MkdirAll(o.out, 0o755); err != nil { //nolint:gosec // it holds names of features and numbers
		return fmt.Errorf("--out: %w", err)
	}
	if err = w.Save(o.out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return term.WriteJSON(filepath.Join(o.out, resultFile), r)
}
