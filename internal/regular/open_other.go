//go:build !unix

package regular

import "os"

// Unblocked is nothing where no path leads to a pipe that is waited for.
const Unblocked = 0

func lent(os.FileInfo) bool { return false }

// Guard refuses nothing: who may write a file stands in its folder's access list.
func Guard(_ string, _ bool) error { return nil }

// GuardAll refuses nothing, as [Guard].
func GuardAll(_ string, _ ...string) error { return nil }
