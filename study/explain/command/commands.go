// Package explain holds the command explain, which says which words an answer hangs on.
package explain

import (
	"github.com/spf13/cobra"

	"sotto/command/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newExplain(std)}
}
