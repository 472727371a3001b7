// Package bias holds the command bias, which says what vectors of words carry before and after a release.
package bias

import (
	"github.com/spf13/cobra"

	"sotto/command/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newBias(std)}
}
