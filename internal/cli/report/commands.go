// Package report holds report and gate, the commands that read results.
package report

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newReport(std), newGate(std)}
}
