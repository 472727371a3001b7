//go:build !windows

package term

import "os"

// understandsColour reports whether a terminal has colours: all have but those that
// say what they lack.
func understandsColour(*os.File) bool { return true }
