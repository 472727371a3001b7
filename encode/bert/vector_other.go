//go:build !amd64

package bert

// assembly is empty: nothing is written for this machine.
var assembly map[string]*vectors
