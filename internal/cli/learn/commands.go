// Package learn holds train, evaluate and demo, the commands that train models and judge them.
package learn

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newTrain(std), newEvaluate(std), newDemo(std)}
}
