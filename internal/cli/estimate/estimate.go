// Package estimate holds the command estimate, which says what many releases tell together.
package estimate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/dp"
	"sotto/estimate"
	"sotto/internal/cli/term"
	"sotto/mech"
	"sotto/report/evidence"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	c := newEstimate(std)
	c.AddCommand(newSize(std))
	return []*cobra.Command{c}
}

// options are the flags of "sotto estimate".
type options struct {
	in, metadata, format string
	against              string
	group, groups        string
	compare, names       []string
	confidence, delta    float64
	json                 bool
}

func newEstimate(std term.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "estimate",
		Short: "Say what many releases tell together: shares of answers, with intervals",
		Long: `Read releases of one of several answers (krr, codes, or those of a model that
releases codes) and the record beside them, and print how common each answer is
among those who released: by the unbiased estimate, or by maximum likelihood where
that is impossible (a share below 0 or above 1). The intervals are exact. Nothing
is spent: whoever holds the releases may compute this.

With --group, a public column beside the releases (sotto encode --keep) or in
another file (--groups), shares are printed for each of its values. Two groups
(--compare a,b), or another file of releases of the same mechanism (--against), are
compared by an exact test.

The guarantee after shuffling is a second one, and needs what it assumes.`,
		Example: `  sotto estimate --in private.jsonl --json
  sotto estimate --in private.jsonl --group month --compare May,June
  sotto estimate --in june.csv --against may.csv --names late,lost,other
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
	fs.StringVar(&o.in, "in", "", "file of releases: jsonl, csv, npy or parquet, - for standard input (required)")
	fs.StringVar(&o.metadata, "metadata", "", "file that says how they were released (default: IN.privacy.json)")
	fs.StringVar(&o.format, "format", "", "format of standard input: jsonl, csv, npy or parquet")
	fs.StringSliceVar(&o.names, "names", nil, "names of the answers, in their order (default: what the record says, or their numbers)")
	fs.StringVar(&o.group, "group", "", "public column by whose values shares are printed, too")
	fs.StringVar(&o.groups, "groups", "", "file with the column of --group, a row for each release (default: IN)")
	fs.StringSliceVar(&o.compare, "compare", nil, "two values of --group to compare, separated by a comma")
	fs.StringVar(&o.against, "against", "", "other file of releases, with its record, to compare with")
	fs.Float64Var(&o.confidence, "confidence", 0.95, "confidence of each interval")
	fs.Float64Var(&o.delta, "delta", 1e-6, "δ of the guarantee after shuffling")
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
	case o.against == "-":
		return errors.New("--against is -, must be a file with its record")
	}
	return term.RefuseSame(term.Named("--in", o.in), term.Named("--against", o.against))
}

func (o *options) run(ctx context.Context, std term.Streams) error {
	main, err := o.open(std.In)
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "counting")
	defer bar.Finish()
	if err = main.count(ctx, bar, o.group, o.groups); err != nil {
		return err
	}
	var other *releases
	if o.against != "" {
		if other, err = openReleases(o.against, "", "", nil); err != nil {
			return err
		}
		if err = other.count(ctx, bar, "", ""); err != nil {
			return err
		}
	}
	bar.Finish()
	r, err := o.result(main, other)
	if err != nil {
		return err
	}
	return term.Show(std.Out, o.json, r, printResult)
}

func (o *options) open(stdin io.Reader) (*releases, error) {
	if o.in != "-" {
		stdin = nil
	}
	return openReleases(o.in, o.metadata, o.format, stdin)
}

// result computes what is printed.
func (o *options) result(main, other *releases) (*estimate.Result, error) {
	names, err := answerNames(o.names, main)
	if err != nil {
		return nil, err
	}
	g := *main.said.Guarantee
	p := main.said.Mechanism
	r := &estimate.Result{
		Format: estimate.Format, N: main.all.N(), Epsilon: g.Epsilon, Mechanism: p.Mechanism, Variant: p.Variant, Guarantee: g,
		Confidence: o.confidence, Raised: main.all.Raised(),
	}
	if o.in != "-" {
		r.File = filepath.Base(o.in)
	}
	s, err := main.all.Shares(o.confidence)
	if err != nil {
		return nil, err
	}
	r.Method, r.Shares = s.Method, s.Name(names)
	mixed := r.N // releases that look alike once whose they are is removed
	for _, name := range main.order {
		t := main.groups[name]
		mixed = min(mixed, t.N())
		if s, err = t.Shares(o.confidence); err != nil {
			return nil, err
		}
		r.Groups = append(r.Groups, estimate.Group{Group: name, N: t.N(), Method: s.Method, Shares: s.Name(names)})
	}
	if central, failed := dp.Shuffle(g, mixed, o.delta); failed == nil { // else the theorem says nothing of such a guarantee
		r.Shuffled = &central
	}
	if other != nil {
		r.Compare, err = compared(r.File, filepath.Base(o.against), main.all, other.all, names, o.confidence)
	} else if o.compare != nil {
		var both [2]*estimate.Tally
		for i, name := range o.compare {
			if both[i] = main.groups[name]; both[i] == nil {
				return nil, fmt.Errorf("--compare names %q, must be two of the %d values of --group", name, len(main.order))
			}
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

// answerNames returns what answers are called: as given, as the record says, or
// by their numbers.
func answerNames(given []string, r *releases) ([]string, error) {
	k := r.all.Answers()
	if given != nil {
		if len(given) != k {
			return nil, fmt.Errorf("--names has %d names, must have one for each of %d answers", len(given), k)
		}
		return given, nil
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

// newSize is "sotto estimate size".
func newSize(std term.Streams) *cobra.Command {
	want := estimate.Precision{}
	var classes int
	var epsilon float64
	var asJSON bool
	c := &cobra.Command{
		Use:   "size",
		Short: "Say how many releases a wanted precision needs",
		Long: `Say how many people must release, one answer each by randomised response, so that
the interval of a share has at most a wanted half-width, if as many releases are
that answer as expected. Without --share it is the share at which that takes most.`,
		Example: `  sotto estimate size --classes 3 --epsilon 1 --half-width 0.02
  sotto estimate size --classes 10 --epsilon 2 --half-width 0.01 --share 0.1 --json`,
		Args:    term.None,
		PreRunE: term.NoZeros("share"),
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("share") {
				want.Share = -1
			} else if !(want.Share >= 0 && want.Share <= 1) {
				return fmt.Errorf("--share is %v, must be from 0 to 1", want.Share)
			}
			m, err := mech.NewKRR(mech.Params{Epsilon: epsilon, Own: mech.KRRParams{Classes: classes}})
			if err != nil {
				return err
			}
			t, err := estimate.NewTally(m)
			if err != nil {
				return err
			}
			s := size{Format: SizeFormat, Classes: classes, Guarantee: m.Guarantee(), Precision: want}
			if s.N, s.Share, err = t.Size(0, want); err != nil {
				return err
			}
			return term.Show(std.Out, asJSON, s, printSize)
		},
	}
	fs := c.Flags()
	fs.IntVar(&classes, "classes", 2, "number of answers")
	fs.Float64Var(&epsilon, "epsilon", 0, "ε of each release (required)")
	fs.Float64Var(&want.Half, "half-width", 0.02, "half-width of the interval that is wanted, as a share")
	fs.Float64Var(&want.Share, "share", 0, "share at which it is wanted (default: where it takes most)")
	fs.Float64Var(&want.Confidence, "confidence", 0.95, "confidence of the interval")
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
