// Package attack holds the command attack, which tries what can be learnt from releases.
package attack

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newAttack(std)}
}
