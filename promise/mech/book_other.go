//go:build !amd64

package mech

// scoreBlock fills dst with the inner products of x and the 32 codewords of a
// block.
func scoreBlock(dst *[blockWords]float32, block, x []float32) { scorePlain(dst[:], block, x) }
