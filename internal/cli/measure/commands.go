// Package measure holds the command measure, which judges predictions that others made.
package measure

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newMeasure(std)}
}
