//go:build !unix

package regular

import "os"

// Unblocked is nothing where no path leads to a pipe that is waited for.
const Unblocked = 0

func lent(os.FileInfo) bool { return false }
