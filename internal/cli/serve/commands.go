// Package serve holds gateway and serve, the commands that answer requests, and budget, which looks after their ledger.
package serve

import (
	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newGateway(std), newServe(std), newBudget(std)}
}
