package sotto

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"sotto/learn/experiment"
	"sotto/text/encode/catalogue"
)

// Training says what to learn from a table, and by which method. Package learn/experiment
// has all other settings.
type Training struct {
	Text    string  // column of the texts
	Label   string  // column of what the releases are to tell
	Method  string  // auto, codes, label, or another that sotto train lists; "" means auto
	Epsilon float64 // of each release
	Encoder string  // that makes vectors of the texts; "" means the one that is built in
	Out     string  // folder to make, for the model and results.json; [Open] opens it again
}

// Train trains a model on a file with a header: CSV, TSV, JSON lines or Parquet, by its
// name. It may take minutes. What was measured stands in results.json of the folder, for
// sotto report. The rows of the file are not covered by the guarantee of the model, which
// refuses to release them ([ErrTrained]).
func Train(ctx context.Context, table string, t Training, options ...Option) (*Model, error) {
	switch {
	case table == "" || t.Text == "" || t.Label == "" || t.Out == "":
		return nil, errors.New("sotto: table, text, label or out is empty, must be a file, two of its columns and a folder to make")
	case !(t.Epsilon > 0):
		return nil, errors.New("sotto: ε is not positive, must be that of each release")
	}
	s := experiment.Spec{In: experiment.Path(table), Label: t.Label, Methods: []string{cmp.Or(t.Method, "auto")}, Epsilons: []float64{t.Epsilon}}
	s.Text = t.Text
	permitted := ctx
	if t.Encoder != "" { // a program's own words, and not those of a file
		s.Encoder, permitted = catalogue.Name(t.Encoder), catalogue.Permit(ctx, catalogue.Said(t.Encoder))
	}
	r, err := experiment.Run(permitted, s.Fresh(), experiment.Options{Out: t.Out})
	if err != nil {
		return nil, line{err}
	}
	if t.Encoder != "" { // as the model calls it now
		ctx = catalogue.Permit(ctx, catalogue.Said(string(r.Data.Encoder)))
	}
	return Open(ctx, t.Out, options...)
}

// line is an error of which all that is wrong stands on one line.
type line struct{ error }

// Error implements error.
func (l line) Error() string { return strings.ReplaceAll(l.error.Error(), "\n", "; ") }

// Unwrap returns the error as it was.
func (l line) Unwrap() error { return l.error }
