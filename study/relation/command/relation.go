// Package relation holds the command relations, which says who does what to whom and by
// which rule.
package relation

import (
	"github.com/spf13/cobra"

	"sotto/command/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{term.Group(
		&cobra.Command{Use: "relations", Short: "Find who does what to whom, by rules that people can read"},
		newTrain(std), newEvaluate(std), newFind(std), newRules(std), newReview(std))}
}
