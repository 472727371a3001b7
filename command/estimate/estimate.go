// Package estimate holds the command estimate, which says what many releases tell together.
package estimate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/evidence"
	"sotto/learn/estimate"
	"sotto/promise/dp"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	c := newEstimate(std)
	c.AddCommand(newSize(std), newTrain(std))
	return []*cobra.Command{c}
}

// What --confidence and --delta are unless the user says something else.
const (
	defaultConfidence = 0.95
	defaultDelta      = 1e-6
)

// options are the flags of "sotto estimate".
type options struct {
	in, metadata, format string
	against              string
	group, groups        string
	groupReleases        string
	cells, inputs        string
	compare, names       []string
	groupNames           []string
	confidence, delta    float64
	mean, json           bool
}

func newEstimate(std term.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "estimate",
		Short: "Say what many releases tell together: shares of answers or means, with intervals",
		Long: `Read releases of one of several answers (krr, subset, codes, cells, or those of a
model that releases codes) and the record beside them, and print how common each
answer is among those who released: by the unbiased estimate, or by the likeliest
possible shares where that is impossible (a share below 0 or above 1). The intervals
are exact. Nothing is spent: whoever holds the releases may compute this.

Cells are called by their public examples: of cells that come with sotto, or in the
file of --cells. With --inputs, a file of public inputs, such as the mean vector of each
class, shares are those of these inputs: for codewords, and for codes whose weights
raise several. That everybody's input is one of them is an assumption, which is printed.

Releases of vectors (privunit, laplace-l1, laplace-l2, gaussian and others whose mean
is right on average) tell the mean of what was released, coordinate by coordinate, and
its length; --mean does so for cells.

With --group, a public column beside the releases (sotto encode --keep) or in
another file (--groups), shares are printed for each of its values. Two groups
(--compare a,b), or another file of releases of the same mechanism (--against), are
compared by a test whose level holds at every number of releases. Where the group is
private too, --group-releases names the file of its releases, row by row; what both cost
a person adds up.

The guarantee after shuffling is a second one, and needs what it assumes.`,
		Example: `  sotto estimate --in private.jsonl --json
  sotto estimate --in private.jsonl --group month --compare May,June
  sotto estimate --in june.csv --against may.csv --names late,lost,other
  sotto estimate --in private.jsonl --cells cells.jsonl
  sotto estimate --in answers.csv --group-releases ages.csv --group-names young,old
  sotto estimate --in - --format jsonl --metadata private.jsonl.privacy.json <private.jsonl`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(c.Context(), std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "", "file of releases: jsonl, csv, npy or parquet, the record of a set, set.privacy.json, or - for standard input (required)")
	fs.StringVar(&o.metadata, "metadata", "", "file that says how they were released (default: IN.privacy.json)")
	fs.StringVar(&o.format, "format", "", "format of standard input: jsonl, csv, npy or parquet")
	fs.StringSliceVar(&o.names, "names", nil, "names of the answers, in their order (default: what the record says, or their numbers)")
	fs.StringVar(&o.cells, "cells", "", "file of the public cells of the releases, with their examples, as \"sotto cells make\" writes it (default: those that come with sotto)")
	fs.StringVar(&o.inputs, "inputs", "", "file of public inputs whose shares are wanted, or \""+eachAnswer+"\": each input is one answer for certain")
	fs.StringVar(&o.groupReleases, "group-releases", "", "file of releases of each person's group, with its record, a row for each release")
	fs.StringSliceVar(&o.groupNames, "group-names", nil, "names of the groups of --group-releases, in their order (default: their numbers)")
	fs.StringVar(&o.group, "group", "", "public column by whose values shares are printed, too")
	fs.StringVar(&o.groups, "groups", "", "file with the column of --group, a row for each release (default: IN)")
	fs.StringSliceVar(&o.compare, "compare", nil, "two values of --group to compare, separated by a comma")
	fs.StringVar(&o.against, "against", "", "other file of releases, with its record, to compare with")
	fs.Float64Var(&o.confidence, "confidence", defaultConfidence, "confidence of each interval")
	fs.Float64Var(&o.delta, "delta", defaultDelta, "δ of the guarantee after shuffling")
	fs.BoolVar(&o.mean, "mean", false, "print the mean of what was released, and no shares (default for releases of vectors)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// check refuses flags that do not go together.
func (o *options) check() error {
	switch {
	case o.in == "":
		return errors.New("want --in, a file of releases")
	case o.in == "-" && (o.format == "" || o.metadata == ""):
		return errors.New("want --format and --metadata: --in is a stream, which has no name and no record beside it")
	case o.in != "-" && o.format != "":
		return errors.New("--format is for standard input, must be absent: the name of a file tells")
	case !(o.confidence > 0 && o.confidence < 1):
		return fmt.Errorf("--confidence is %v, must be above 0 and below 1", o.confidence)
	case !(o.delta > 0 && o.delta < 1):
		return fmt.Errorf("--delta is %v, must be above 0 and below 1", o.delta)
	case o.group == "" && (o.groups != "" || o.compare != nil):
		return errors.New("want --group, the column of groups, with --groups and --compare")
	case o.group != "" && o.in == "-" && o.groups == "":
		return errors.New("want --groups, a file with the column of --group: standard input is read once")
	case o.compare != nil && (len(o.compare) != 2 || o.compare[0] == o.compare[1]):
		return fmt.Errorf("--compare is %q, must be two different values of --group", o.compare)
	case o.compare != nil && o.against != "":
		return errors.New("--compare and --against both say what is compared, must be one of them")
	case o.groupNames != nil && o.groupReleases == "":
		return errors.New("want --group-releases, a file of releases, with --group-names")
	case o.groupReleases != "" && (o.group != "" || o.against != "" || o.inputs != ""):
		return errors.New("--group-releases tells groups, must be without --group, --against and --inputs")
	case o.mean && (o.inputs != "" || o.names != nil || o.groupReleases != ""):
		return errors.New("--mean is of vectors, must be without --inputs, --names and --group-releases")
	case o.groupReleases == "-":
		return errors.New("--group-releases is -, must be a file with its record")
	case o.against == "-":
		return errors.New("--against is -, must be a file with its record")
	}
	return term.RefuseSame(term.Named("--in", o.in), term.Named("--against", o.against), term.Named("--group-releases", o.groupReleases))
}

func (o *options) run(ctx context.Context, std term.Streams) error {
	from := source{path: o.in, metadata: o.metadata, format: o.format, cells: o.cells}
	if o.in == "-" {
		from.stream = std.In
	}
	main, err := openReleases(from)
	if err != nil {
		return err
	}
	if err = o.comparable(main); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "counting")
	defer bar.Finish()
	if o.averaged(main.mechanism) {
		r, failed := o.average(ctx, main, bar)
		if failed != nil {
			return failed
		}
		return term.Show(std.Out, o.json, r, printMean)
	}
	told := o.alone
	if o.groupReleases != "" {
		told = o.jointly
	}
	r, err := told(ctx, main, bar)
	if err != nil {
		return err
	}
	return term.Show(std.Out, o.json, r, printResult)
}

// tallied is what was counted of answers.
type tallied = counted[*estimate.Tally]

// tally counts answers.
func (o *options) tally(ctx context.Context, bar *term.Progress, r *releases, group, groups string) (*tallied, error) {
	t, err := newTally(r.mechanism, o.inputs)
	if err != nil {
		return nil, err
	}
	return count(ctx, bar, r, t, group, groups)
}

// alone counts releases, and those of another file if there is one.
func (o *options) alone(ctx context.Context, main *releases, bar *term.Progress) (*estimate.Result, error) {
	of, err := o.tally(ctx, bar, main, o.group, o.groups)
	if err != nil {
		return nil, err
	}
	var other *tallied
	if o.against != "" {
		against, failed := o.openOther()
		if failed != nil {
			return nil, failed
		}
		if other, err = o.tally(ctx, bar, against, "", ""); err != nil {
			return nil, err
		}
	}
	bar.Finish()
	r, err := o.result(main, of, other)
	if err != nil {
		return nil, err
	}
	r.Hold(o.unfit(main))
	return r, nil
}

// openOther reads the record of the releases to compare with.
func (o *options) openOther() (*releases, error) {
	r, err := openReleases(source{path: o.against, cells: o.cells})
	if err != nil {
		return nil, err
	}
	return r, o.comparable(r)
}

// summary is what is said of all releases together, and the names of answers.
func (o *options) summary(main *releases, of *tallied, g dp.Guarantee) (*estimate.Result, []string, error) {
	names, err := answerNames(o.names, "--names", main, of.all)
	if err != nil {
		return nil, nil, err
	}
	r := &estimate.Result{Counted: about(o, main, of, estimate.Format, g), Raised: of.all.Raised()}
	if o.inputs != "" {
		r.Assuming = fmt.Sprintf("each release is one of the %d inputs that were given", len(names))
	}
	s, err := of.all.Shares(o.confidence)
	if err != nil {
		return nil, nil, err
	}
	r.Method, r.Shares = s.Method, s.Name(names)
	return r, names, nil
}

// about says of which releases a result is.
func about[T counter[T]](o *options, main *releases, of *counted[T], format string, g dp.Guarantee) estimate.Counted {
	p := main.said.Mechanism
	c := estimate.Counted{
		Format: format, N: of.all.N(), Epsilon: g.Epsilon, Mechanism: p.Mechanism, Variant: p.Variant, Guarantee: g,
		Shuffled: shuffled(of, g, o.delta), Confidence: o.confidence,
	}
	if o.in != "-" {
		c.File = filepath.Base(o.in)
	}
	return c
}

// shuffled returns the guarantee after mixing releases that look alike once whose they
// are is removed, nil where the theorem says nothing of such a guarantee.
func shuffled[T counter[T]](of *counted[T], g dp.Guarantee, delta float64) *dp.Guarantee {
	mixed := of.all.N()
	for _, t := range of.groups {
		mixed = min(mixed, t.N())
	}
	central, err := dp.Shuffle(g, mixed, delta)
	if err != nil {
		return nil
	}
	return &central
}

// chosen returns the two groups to compare.
func chosen[T counter[T]](of *counted[T], names []string) (both [2]T, err error) {
	for i, name := range names {
		t, ok := of.groups[name]
		if !ok {
			return both, fmt.Errorf("--compare names %q, must be two of the %d values of --group", name, len(of.order))
		}
		both[i] = t
	}
	return both, nil
}

// result computes what is printed.
func (o *options) result(main *releases, of, other *tallied) (*estimate.Result, error) {
	r, names, err := o.summary(main, of, *main.said.Guarantee)
	if err != nil {
		return nil, err
	}
	for _, name := range of.order {
		t := of.groups[name]
		s, failed := t.Shares(o.confidence)
		if failed != nil {
			return nil, failed
		}
		r.Groups = append(r.Groups, estimate.Group{Group: name, N: t.N(), Method: s.Method, Shares: s.Name(names)})
	}
	if other != nil {
		r.Compare, err = compared(r.File, filepath.Base(o.against), of.all, other.all, names, o.confidence)
	} else if o.compare != nil {
		both, failed := chosen(of, o.compare)
		if failed != nil {
			return nil, failed
		}
		r.Compare, err = compared(o.compare[0], o.compare[1], both[0], both[1], names, o.confidence)
	}
	return r, err
}

// compared compares two tallies.
func compared(first, second string, a, b *estimate.Tally, names []string, confidence float64) (*estimate.Compared, error) {
	c, err := a.Compare(b, confidence)
	if err != nil {
		return nil, err
	}
	r := &estimate.Compared{First: first, Second: second, FirstN: a.N(), OtherN: b.N(), P: c.P}
	for i, d := range c.Each {
		r.Each = append(r.Each, estimate.Differ{Answer: names[i], Difference: d})
	}
	return r, nil
}

// answerNames returns what answers are called: as given, as the record says, by the
// examples of cells, or by their numbers.
func answerNames(given []string, flag string, r *releases, t *estimate.Tally) ([]string, error) {
	k := t.Answers()
	if given != nil {
		if len(given) != k {
			return nil, fmt.Errorf("%s has %d names, must have one for each of %d answers", flag, len(given), k)
		}
		return given, nil
	}
	if len(r.examples) == k {
		return r.examples, nil
	}
	names := make([]string, k)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	for _, c := range r.said.Codes {
		if c.Code < 0 || c.Code >= k {
			return nil, fmt.Errorf("the record names code %d, must be from 0 to %d", c.Code, k-1)
		}
		names[c.Code] = saying(c)
	}
	return names, nil
}

// saying renders what a code says: its class, or the class of each label.
func saying(c evidence.Saying) string {
	var all []string
	for label, class := range c.Classes {
		if len(c.Classes) == 1 {
			return class
		}
		all = append(all, label+" = "+class)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
