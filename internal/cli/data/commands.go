// Package data holds the command data, which lists data sets and gets them.
package data

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newData(std)}
}
