// Package attack holds the command attack, which tries what can be learnt from releases.
package attack

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/learn/attack"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newAttack(std)}
}

// common is what all kinds of attack share: the flags that every one has, and
// what others fill in.
type common struct {
	attack.Options
	out  string
	json bool
}

func (o *common) addFlags(fs *pflag.FlagSet, seed, cores string) {
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of "+seed+" (default 0)")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use"+cores+" (default: all)")
	fs.StringVar(&o.out, "out", "", "also write the result to this file, as JSON")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// run makes an attack and prints what it found. It returns [term.ErrNo] if that
// refutes the guarantee.
func (o *common) run(ctx context.Context, k attack.Kind, target func(*attack.Options) (attack.Target, error), std term.Streams) error {
	if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "attacking")
	defer bar.Finish()
	o.Progress = bar.Set
	t, err := target(&o.Options)
	if err != nil {
		return err
	}
	r, err := attack.Run(ctx, k, t, o.Options)
	if err != nil {
		return err
	}
	bar.Finish()
	if o.out != "" {
		if err := term.WriteJSON(o.out, r); err != nil {
			return err
		}
	}
	return term.Verdict(term.Show(std.Out, o.json, r, printResult), r.Refuted)
}

// newAttack makes the command, which by itself infers an attribute, and one
// below it for each other kind that there is.
func newAttack(std term.Streams) *cobra.Command {
	c := newReleased(std, "attack", attack.Attribute)
	c.Short = "Attack released vectors, and hold what was learnt against the stated ε"
	for _, info := range attack.Kinds() {
		var kind *cobra.Command
		switch {
		case info.Kind == attack.Attribute:
			continue
		case info.Needs.Releases:
			kind = newReleased(std, string(info.Kind), info.Kind)
		default:
			kind = newSimulated(std, info)
		}
		kind.Short = info.About
		c.AddCommand(kind)
	}
	return c
}

// manual is the help of a kind of attack, and the flags that no other kind has.
type manual struct {
	long, example string
	flags         func(fs *pflag.FlagSet, o *attack.Options)
}

var manuals = map[attack.Kind]manual{
	attack.Attribute: {
		long: `Without a kind of attack below: attribute inference. Fit attackers to released vectors and see how well they guess an attribute of
rows that they have not seen: a linear one, the reference perceptron (100 units),
the same on centred vectors, and a larger one (two layers of 512). Each stands beside the majority rate, which
needs no vectors, and beside the accuracy that no attacker can exceed if the
stated ε is true. The description length says how many bits the attribute still
takes for whoever has the vectors.

Vectors come from a file, with the attribute's values in another, row by row: CSV
with a line of names, or JSON lines. Half of the rows fits the attackers, the
other scores them. What is promised is read from VECTORS.privacy.json, or given
by --epsilon. Or they are the pairs of "sotto-batch --pairs", released or --raw, or
simulated releases of a model of "sotto train --out".

Exit codes: 0 the attack is done; 1 an attacker is above the limit beyond chance,
which refutes the stated ε; 2 wrong use or bad input.`,
		example: `  sotto attack --vectors private.npy --attributes people.csv --column sex
  sotto attack --model adult --data adult --json`,
	},
	attack.Entities: {
		long: `Guess several yes-or-no attributes, such as whether a person is named, each by
itself: by a linear attacker, by one of two layers of 512 units, as in the DPNR
paper, and by the reference perceptron (100 units) on centred vectors, from which
noise that is the same in all coordinates is gone. For each there are the accuracy,
beside what no attacker exceeds at the stated ε, the accuracy on rows without and
with it (the paper's Table 5) and F1, and for all together F1, of which the
paper's Table 4 has 1−F.

With --model, attackers are fitted to simulated releases of the validation part and
scored on those of the test part, for every attribute of the data set that has two
values. With --vectors, half of the rows fits and half scores; --attributes holds
the columns, which must have two values. The one called 1, true, yes, present or
named means present, else the rarer one.

Exit codes: 0 the attack is done; 1 the stated ε is refuted; 2 wrong use or bad
input.`,
		example: `  sotto attack entities --model ag
  sotto attack entities --vectors private.npy --attributes named.csv --column bush,kerry`,
	},
	attack.Averaging: {
		long: `Release each text several times and let attackers average what they get: they
infer the attribute of a data set, and reconstruct the vector that the mechanism
protects. k releases with fresh noise are k·ε-DP together, and the limit is that of
k·ε. With memoised noise the same answer comes again, the limit stays that of ε,
and nothing is gained.`,
		example: `  sotto attack averaging laplace-l1 --epsilon 8 --data reviews
  sotto attack averaging privunit --epsilon 4 --texts reviews.txt --releases 1,10,1000`,
		flags: func(fs *pflag.FlagSet, o *attack.Options) {
			fs.IntSliceVar(&o.Releases, "releases", []int{1, 10, 100}, "numbers of releases of each text, separated by commas")
		},
	},
	attack.Inversion: {
		long: `Guess which of the commonest words stand in each text, leaving out those that
stand in more than half of all. A recogniser is fitted to
releases of half of the texts, whose words it knows; nearest neighbours need no
fitting: they are the words whose vectors are most like the release. Both name 1, 5
and 10 words of each text of the other half, beside who names the commonest words,
and beside the precision that nobody exceeds at the stated ε. Without a mechanism
the raw vectors are attacked.`,
		example: `  sotto attack inversion --data reviews
  sotto attack inversion laplace-l1 --epsilon 8 --texts reviews.txt`,
		flags: func(fs *pflag.FlagSet, o *attack.Options) {
			fs.IntVar(&o.Words, "words", attack.InversionWords, "number of the commonest words to look for")
		},
	},
	attack.Membership: {
		long: `Pair the texts, release one of each pair as a coin falls, and let an attacker who
knows the texts and the mechanism, but not the coins, say which were released: by
the likelihood of the releases, where the mechanism's is known, and by cosines. No
attacker is right about more pairs than e^ε/(1+e^ε) of them at the stated ε.`,
		example: `  sotto attack membership laplace-l1 --epsilon 8 --data reviews
  sotto attack membership dpnr --variant released --epsilon 1 --claim 1 --texts reviews.txt`,
	},
}

// describe puts in the help of a kind and its own flags.
func describe(c *cobra.Command, k attack.Kind, o *attack.Options, more ...string) {
	m := manuals[k]
	c.Long, c.Example = strings.Join(append([]string{m.long}, more...), "\n\n"), m.example
	if m.flags != nil {
		m.flags(c.Flags(), o)
	}
}
