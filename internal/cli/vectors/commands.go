// Package vectors holds privatize, encode, tokens and encoder, the commands that make vectors.
package vectors

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newPrivatize(std), newEncode(std), newEncoder(std), newTokens(std)}
}
