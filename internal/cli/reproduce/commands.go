// Package reproduce holds the command reproduce, which prints published tables beside ours.
package reproduce

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newReproduce(std)}
}
