//go:build !amd64

package vector

// assembly is empty: nothing is written for this machine.
var assembly map[string]*Loops
