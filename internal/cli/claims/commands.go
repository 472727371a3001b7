// Package claims holds epsilon, audit, compose and shuffle, the commands that say
// what is promised and check what is claimed.
package claims

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newEpsilon(std), newAudit(std), newCompose(std), newShuffle(std)}
}
