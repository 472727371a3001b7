package mech

// scoreBlock fills dst with the inner products of x and the 32 codewords of a
// block. It is in book_amd64.s, by the instructions that every such processor has.
// Block has 32 numbers for each of x, of which there is at least one.
//
//go:noescape
func scoreBlock(dst *[blockWords]float32, block, x []float32)
