//go:build !amd64

package nn

// runnable returns the kernels that this machine can run, the fastest first.
func runnable() []*kernels { return []*kernels{&portable} }
