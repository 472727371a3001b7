//go:build !unix

package regular

// unblocked is nothing where no path leads to a pipe that is waited for.
const unblocked = 0
