package claims

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/promise/dp"
)

// ManyFormat marks what "sotto compose" and "sotto shuffle" print as JSON.
const ManyFormat = "sotto-many-1"

// many is what many releases promise together.
type many struct {
	Format string `json:"format"`
	dp.Guarantee
	Local *dp.Guarantee `json:"local,omitempty"` // shuffle: what each release promises by itself
	Users int           `json:"users,omitempty"` // shuffle
	Basic *dp.Epsilon   `json:"basic,omitempty"` // compose: the sum
	Times int           `json:"times,omitempty"` // compose: how many releases
}

func newCompose(std term.Streams) *cobra.Command {
	var epsilons []string
	var times int
	var delta float64
	var asJSON bool
	c := &cobra.Command{
		Use:   "compose",
		Short: "Say what many releases of one text or user promise together",
		Long: `Say what many releases, each with fresh noise, promise together: the smallest ε
that is true at a total δ, by the optimal composition theorem. It is never above
the sum and, for many releases of small ε, far below it.

The ε of each release must be fixed before the first is seen.`,
		Example: `  sotto compose --epsilon 0.1 --times 100 --delta 1e-6
  sotto compose --epsilon 0.1:50,0.5:10 --delta 1e-6`,
		Args: term.None,
		RunE: func(*cobra.Command, []string) error {
			parts, err := repeated(epsilons, times)
			if err != nil {
				return err
			}
			total, err := dp.ComposeAt(delta, parts...)
			if err != nil {
				return err
			}
			sum, err := dp.ComposeAt(0, parts...)
			if err != nil {
				return err
			}
			m := many{Format: ManyFormat, Guarantee: total, Basic: &sum.Epsilon}
			for _, p := range parts {
				m.Times += p.Times
			}
			return term.Show(std.Out, asJSON, m, printMany)
		},
	}
	c.Flags().StringSliceVar(&epsilons, "epsilon", nil, "ε of a release, or several of them as ε:times, separated by commas")
	c.Flags().IntVar(&times, "times", 0, "number of releases at each ε for which none is given (default 1)")
	c.Flags().Float64Var(&delta, "delta", 1e-6, "total δ, from 0 (the sum) to below 1")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// repeated reads pure text-level releases, written as ε or ε:times.
func repeated(epsilons []string, times int) ([]dp.Repeated, error) {
	if len(epsilons) == 0 {
		return nil, errors.New("want --epsilon, the ε of a release")
	}
	if times < 0 {
		return nil, fmt.Errorf("--times is %d, must be at least 1", times)
	}
	var parts []dp.Repeated
	for _, text := range epsilons {
		number, count, given := strings.Cut(text, ":")
		e, err := strconv.ParseFloat(number, 64)
		if err != nil || !(e > 0) {
			return nil, fmt.Errorf("--epsilon is %q, must be a positive number, or one with how often, such as 0.1:50", text)
		}
		p := dp.Repeated{Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(e)}, Times: max(times, 1)}
		if given {
			if p.Times, err = strconv.Atoi(count); err != nil || p.Times < 1 {
				return nil, fmt.Errorf("--epsilon is %q, must have a whole number of times behind the colon", text)
			}
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func newShuffle(std term.Streams) *cobra.Command {
	var epsilon, delta float64
	var users int
	var asJSON bool
	c := &cobra.Command{
		Use:   "shuffle",
		Short: "Say what the releases of many users promise once they are shuffled",
		Long: `Say what the releases of many users, one each, promise together against whoever
sees them only after somebody trusted has mixed them and removed whose they are.

This is a second guarantee. The local one, of each release by itself, holds
against everybody and without a shuffler, and is printed beside it.`,
		Example: `  sotto shuffle --epsilon 4 --users 1000000 --delta 1e-6`,
		Args:    term.None,
		RunE: func(*cobra.Command, []string) error {
			if !(epsilon > 0) {
				return fmt.Errorf("--epsilon is %v, must be the positive ε of one release", epsilon)
			}
			local := dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(epsilon)}
			central, err := dp.Shuffle(local, users, delta)
			if err != nil {
				return err
			}
			return term.Show(std.Out, asJSON, many{Format: ManyFormat, Guarantee: central, Local: &local, Users: users}, printMany)
		},
	}
	c.Flags().Float64Var(&epsilon, "epsilon", 0, "ε of one release, between any two texts and with δ = 0")
	c.Flags().IntVar(&users, "users", 0, "number of users whose releases are mixed (required)")
	c.Flags().Float64Var(&delta, "delta", 1e-6, "δ of the guarantee after shuffling")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printMany(out io.Writer, m many) error {
	t := term.NewTable(out)
	if m.Local != nil {
		t.Fact("each", "%s, against everybody", m.Local)
		t.Fact("shuffled", "%s, of %d users", m.Guarantee, m.Users)
	} else {
		t.Fact("together", "%s, of %d releases", m.Guarantee, m.Times)
		t.Fact("their sum", "%s", dp.Guarantee{Unit: m.Unit, Epsilon: *m.Basic})
	}
	if m.Delta == 0 {
		t.Fact("note", "nothing is gained here: the theorem gives no smaller ε")
	}
	for _, a := range m.Assumptions {
		t.Fact("assuming", "%s", a)
	}
	return t.Flush()
}
