package vectors

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/text/encode/cells"
)

// labelledOptions name public texts whose labels cells are pulled apart by.
type labelledOptions struct {
	labelled, label, body string
	weight                float64
}

func (o *labelledOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.labelled, "labelled", "", "file of public texts with labels of two kinds, such as good and bad, which cells are to keep apart")
	fs.StringVar(&o.label, "label", "label", "column or field of --labelled that holds the label")
	fs.StringVar(&o.body, "labelled-text", "text", "column or field of --labelled that holds the texts")
	fs.Float64Var(&o.weight, "label-weight", cells.DefaultWeight, "how strongly the labels count beside vectors of length 1")
}

// check refuses flags that do not fit together.
func (o *labelledOptions) check(private bool, out string) error {
	switch {
	case o.labelled == "" && (o.label != "label" || o.body != "text" || o.weight != cells.DefaultWeight):
		return errors.New("--label, --labelled-text and --label-weight have no meaning without --labelled")
	case o.labelled != "" && private:
		return errors.New("--labelled has no meaning with --private, which takes what labels say from its public cells")
	case !(o.weight > 0 && o.weight <= cells.MaxWeight):
		return fmt.Errorf("--label-weight is %v, must be above 0 and at most %v", o.weight, cells.MaxWeight)
	}
	return term.RefuseSame(term.Named("--out", out), term.Named("--labelled", o.labelled))
}

// read reads the texts and their labels, as 0 and 1 in the order of the alphabet, and
// says what these are.
func (o *labelledOptions) read(flags term.TextFlags, std term.Streams) (texts []string, labels []int, about string, err error) {
	if o.labelled == "" {
		return nil, nil, "", nil
	}
	flags.Text = o.body
	in, err := flags.Open(o.labelled, std.In, false, o.label)
	if err != nil {
		return nil, nil, "", err
	}
	defer in.Close() //nolint:errcheck // it was only read
	var said, kinds []string
	for {
		text, failed := in.Next()
		if errors.Is(failed, io.EOF) {
			break
		} else if failed != nil {
			return nil, nil, "", failed
		}
		label := in.Beside()[0].Text
		texts, said = append(texts, text), append(said, label)
		if !slices.Contains(kinds, label) {
			kinds = append(kinds, label)
		}
		if len(kinds) > 2 {
			return nil, nil, "", fmt.Errorf("%s has more than two labels by row %d, must have two: which texts belong together, and which do not", o.labelled, len(texts))
		}
	}
	if len(kinds) != 2 {
		return nil, nil, "", fmt.Errorf("%s has %d texts with %d different labels, must have two", o.labelled, len(texts), len(kinds))
	}
	slices.Sort(kinds)
	for _, label := range said {
		labels = append(labels, slices.Index(kinds, label))
	}
	return texts, labels, fmt.Sprintf("%.40s, %.40s", kinds[0], kinds[1]), nil
}

// direct finds the direction of labels, and says in the file's head how.
func (o *labelledOptions) direct(x nn.Matrix, labels []int, about string, h *cells.Head) error {
	if o.labelled == "" {
		return nil
	}
	direction, agreeing, err := cells.Direct(x, labels, o.weight)
	if err != nil {
		return err
	}
	h.Labelled = &cells.Labelled{Texts: x.Rows, Weight: o.weight, About: about, Agreeing: agreeing, Direction: direction}
	return nil
}
