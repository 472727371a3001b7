package attack

import (
	"context"

	"github.com/spf13/cobra"

	"sotto/experiment"
	"sotto/internal/cli/term"
	"sotto/mech"
)

func newAttackAveraging(std term.Streams) *cobra.Command {
	var o attemptFlags
	var releases []int
	c := &cobra.Command{
		Use:   "averaging MECHANISM --epsilon ε",
		Short: "Average several releases of each text, with fresh and with memoised noise",
		Long: `Release each text several times and let attackers average what they get: they
infer the attribute of a data set, and reconstruct the vector that the mechanism
protects. k releases with fresh noise are k·ε-DP together, and the limit is that of
k·ε. With memoised noise the same answer comes again, the limit stays that of ε,
and nothing is gained.`,
		Example: `  sotto attack averaging laplace-l1 --epsilon 8 --data reviews
  sotto attack averaging privunit --epsilon 4 --texts reviews.txt --releases 1,10,1000`,
		Args: func(_ *cobra.Command, args []string) error { return term.OneMechanism(args) },
	}
	run := func(ctx context.Context, corpus *experiment.Corpus, m mech.Mechanism, options experiment.AttemptOptions) (*experiment.Attempt, error) {
		return experiment.AttackAveraging(ctx, corpus, m, releases, options)
	}
	newAttempt(std, c, &o, 2000, run)
	c.Flags().IntSliceVar(&releases, "releases", []int{1, 10, 100}, "numbers of releases of each text, separated by commas")
	c.Flags().StringVar(&o.attribute, "attribute", "", "attribute of the data set to infer (default: the first)")
	return c
}

func newAttackInversion(std term.Streams) *cobra.Command {
	var o attemptFlags
	var words int
	c := &cobra.Command{
		Use:   "inversion [MECHANISM --epsilon ε]",
		Short: "Guess which words stand in texts from a release of each, or from raw vectors",
		Long: `Guess which of the commonest words stand in each text, leaving out those that
stand in more than half of all. A recogniser is fitted to
releases of half of the texts, whose words it knows; nearest neighbours need no
fitting: they are the words whose vectors are most like the release. Both name 1, 5
and 10 words of each text of the other half, beside who names the commonest words,
and beside the precision that nobody exceeds at the stated ε. Without a mechanism
the raw vectors are attacked.`,
		Example: `  sotto attack inversion --data reviews
  sotto attack inversion laplace-l1 --epsilon 8 --texts reviews.txt`,
		Args: cobra.MaximumNArgs(1),
	}
	run := func(ctx context.Context, corpus *experiment.Corpus, m mech.Mechanism, options experiment.AttemptOptions) (*experiment.Attempt, error) {
		return experiment.AttackInversion(ctx, corpus, m, words, options)
	}
	newAttempt(std, c, &o, 10_000, run)
	c.Flags().IntVar(&words, "words", experiment.InversionWords, "number of the commonest words to look for")
	return c
}

func newAttackMembership(std term.Streams) *cobra.Command {
	var o attemptFlags
	c := &cobra.Command{
		Use:   "membership MECHANISM --epsilon ε",
		Short: "Guess which texts were released",
		Long: `Pair the texts, release one of each pair as a coin falls, and let an attacker who
knows the texts and the mechanism, but not the coins, say which were released: by
the likelihood of the releases, where the mechanism's is known, and by cosines. No
attacker is right about more pairs than e^ε/(1+e^ε) of them at the stated ε.`,
		Example: `  sotto attack membership laplace-l1 --epsilon 8 --data reviews
  sotto attack membership dpnr --variant released --epsilon 1 --claim 1 --texts reviews.txt`,
		Args: func(_ *cobra.Command, args []string) error { return term.OneMechanism(args) },
	}
	return newAttempt(std, c, &o, 1000, experiment.AttackMembership)
}
