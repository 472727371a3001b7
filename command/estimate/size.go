package estimate

import (
	"fmt"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/learn/estimate"
	"sotto/promise/mech"
)

// newSize is "sotto estimate size".
func newSize(std term.Streams) *cobra.Command {
	want := estimate.Precision{}
	var classes int
	var epsilon float64
	var mechanism string
	var asJSON bool
	c := &cobra.Command{
		Use:   "size",
		Short: "Say how many releases a wanted precision needs",
		Long: `Say how many people must release, one answer each, so that the interval of a share
has at most a wanted half-width, if as many releases name that answer as expected.
Without --share it is the share at which that takes most. Where there are more answers
than e^ε, sets of them need far fewer people (--mechanism subset).`,
		Example: `  sotto estimate size --classes 3 --epsilon 1 --half-width 0.02
  sotto estimate size --classes 10 --epsilon 2 --half-width 0.01 --share 0.1 --json
  sotto estimate size --classes 150 --epsilon 1 --mechanism subset --share 0.01`,
		Args:    term.None,
		PreRunE: term.NoZeros("share"),
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("share") {
				want.Share = -1
			} else if !(want.Share >= 0 && want.Share <= 1) {
				return fmt.Errorf("--share is %v, must be from 0 to 1", want.Share)
			}
			m, err := mech.New(mech.Params{Mechanism: mechanism, Epsilon: epsilon}.With(mech.Given{"classes": classes}))
			if err != nil {
				return err
			}
			t, err := estimate.NewTally(m)
			if err != nil {
				return err
			}
			s := size{Format: SizeFormat, Mechanism: mechanism, Classes: classes, Guarantee: m.Guarantee(), Precision: want}
			if s.N, s.Share, err = t.Size(0, want); err != nil {
				return err
			}
			return term.Show(std.Out, asJSON, s, printSize)
		},
	}
	fs := c.Flags()
	fs.IntVar(&classes, "classes", 2, "number of answers")
	fs.StringVar(&mechanism, "mechanism", "krr", "mechanism of the releases: krr or subset")
	fs.Float64Var(&epsilon, "epsilon", 0, "ε of each release (required)")
	fs.Float64Var(&want.Half, "half-width", 0.02, "half-width of the interval that is wanted, as a share")
	fs.Float64Var(&want.Share, "share", 0, "share at which it is wanted (default: where it takes most)")
	fs.Float64Var(&want.Confidence, "confidence", 0.95, "confidence of the interval")
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
