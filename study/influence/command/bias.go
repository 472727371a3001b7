package influence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/influence"
)

// biasOptions are the flags of "sotto influence bias".
type biasOptions struct {
	askFlags
	control string
	probes  []string
	pos     string
	class   string
	verify  int
	show    int
	speed   int
}

func newBias(std term.Streams) *cobra.Command {
	var o biasOptions
	c := &cobra.Command{
		Use:   "bias",
		Short: "Ask whether one word is treated worse than another over thousands of contexts",
		Long: `Put two words into the place of every adjective of the data, or of another part of
speech, and count the contexts in which the control keeps the class and the probe
loses it (FLIPS), and the other way round (REVERSE). Contexts are phrases of a
treebank where there is one, else texts, whose own answer is the class. Left out are
those in which clearly good words are bad and clearly bad ones good, and those that
no word flips. The teacher checks the surest flips of each direction (CONFIRMED), and
the interval is that of the share it confirms.

What differs between two words in one direction and hardly in the other is no proof
of prejudice: read the examples.`,
		Example: `  sotto influence bias --control straight --probe gay
  sotto influence bias --control straight --probe lesbian,gay,bisexual,transsexual,queer --verify -1 --json`,
		Args:    term.None,
		PreRunE: term.NoZeros("speed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.control == "" || len(o.probes) == 0 {
				return errors.New("give --control and --probe, the words to compare")
			}
			return runBias(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.control, "control", "", "word that the probe is compared with (required)")
	fs.StringSliceVar(&o.probes, "probe", nil, "word that is asked about, or several, separated by commas (required)")
	fs.StringVar(&o.pos, "pos", adjectives, "universal part of speech in whose place the words are put")
	fs.StringVar(&o.class, "class", "", "class that contexts have and may lose (default: the last one)")
	fs.IntVar(&o.verify, "verify", 100, "number of the surest flips of each direction that the teacher checks, −1 for all")
	fs.IntVar(&o.show, "examples", 5, "number of examples of each direction")
	fs.IntVar(&o.speed, "speed", 0, "number of contexts by which the teacher's time is measured and compared (default: none)")
	o.add(fs)
	o.addData(fs)
	return c
}

func runBias(ctx context.Context, o biasOptions, std term.Streams) error {
	for _, p := range o.probes {
		if err := (influence.Query{Control: o.control, Probe: p, Verify: o.verify}).Validate(); err != nil {
			return err
		}
	}
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	class := len(s.Teacher.Names) - 1
	if o.class != "" {
		if class = slices.Index(s.Teacher.Names, o.class); class < 0 {
			return fmt.Errorf("--class is %q, must be one of %s", o.class, strings.Join(s.Teacher.Names, ", "))
		}
	}
	d, c, err := o.contexts(ctx, s, class, std)
	if err != nil {
		return err
	}
	if c.Len() == 0 {
		return errors.New("there is no context that can be asked about: another --pos or --class may have some")
	}
	var all []influence.Bias
	for i, p := range o.probes {
		b, err := s.Ask(ctx, d, c, influence.Query{Control: o.control, Probe: p, Verify: o.verify, Examples: o.show})
		if err != nil {
			return err
		}
		if o.speed > 0 && i == 0 {
			if err := s.TimeTeacher(ctx, d, c, b, o.speed); err != nil {
				return err
			}
		}
		all = append(all, *b)
	}
	return term.Show(std.Out, o.json, s.NewBiasReport(c, all), printBias)
}

// contexts returns the data and the contexts of a part of speech, from the student's
// folder if they are there.
func (o *biasOptions) contexts(ctx context.Context, s *influence.Student, class int, std term.Streams) (*influence.Data, *influence.Contexts, error) {
	d, err := o.texts(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	c, err := s.OpenContexts(o.student, d, o.pos, class)
	if err == nil {
		return d, c, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if d, err = o.data(ctx, s, std); err != nil { // now with words
		return nil, nil, err
	}
	tell, done := progress(std.Err)
	defer done()
	if c, err = s.NewContexts(ctx, d, o.pos, class, influence.Options{Workers: o.workers, Progress: tell}); err != nil {
		return nil, nil, err
	}
	return d, c, s.SaveContexts(o.student, c)
}

func printBias(w io.Writer, r *influence.BiasReport) error {
	t := term.NewTable(w, "CONTROL", "PROBE", "CONTEXTS", "FLIPS", "CONFIRMED %", "95 % INTERVAL", "REVERSE", "CONFIRMED %", "95 % INTERVAL")
	share := func(v, low, high float64, n int) (string, string) {
		if n == 0 {
			return "-", "-"
		}
		return fmt.Sprintf("%s of %d", percent(v), n), percent(low) + " to " + percent(high)
	}
	for _, b := range r.All() {
		one, within := share(b.Confirmed, b.Low, b.High, b.Checked)
		other, also := share(b.Reverse.Share, b.Reverse.Low, b.Reverse.High, b.Reverse.Checked)
		t.Row(term.Plain(b.Control), term.Plain(b.Probe), b.Contexts, b.Flips, one, within, b.ReverseFlips, other, also)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var text strings.Builder
	for _, b := range r.All() {
		writeExamples(&text, r.Class, b.Control, b.Probe, b.Examples)
		writeExamples(&text, r.Class, b.Probe, b.Control, b.ReverseExamples)
	}
	if b := r.Bias; b.Speedup > 0 {
		fmt.Fprintf(&text, "\nThe student took %.3f seconds for both words; the teacher would take %.0f, %.0f times as long (by %d contexts).\n", b.Seconds, b.TeacherSeconds, b.Speedup, b.TeacherAsked)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// writeExamples writes contexts that have the class with one word and not with another.
func writeExamples(text *strings.Builder, class, one, other string, examples []influence.Example) {
	if len(examples) == 0 {
		return
	}
	fmt.Fprintf(text, "\n%s with %q and not with %q, by the student, the surest first:\n", class, one, other)
	for _, e := range examples {
		mark := "not confirmed by the teacher"
		if e.Confirmed {
			mark = "confirmed by the teacher"
		}
		fmt.Fprintf(text, "  %s\n  %s (%s)\n", term.Plain(e.Text), term.Plain(e.Swapped), mark)
	}
}
