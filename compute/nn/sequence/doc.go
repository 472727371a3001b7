// Package sequence has the layers of networks that read and write sequences: tables of
// vectors, LSTMs in one and in both directions, convolutions over graphs, the largest
// value of sets of rows, and a decoder with attention that writes.
//
// Sequences of a batch lie step by step, as [Steps] has it, so that a step is one matrix
// product. The layers have explicit gradients, and give the same bits on any number of
// workers. They promise no privacy. The smallest use is
//
//	steps := sequence.NewSteps([]int{5, 3, 3})
//	both := sequence.NewBoth(100, 200, rng)
//	states := both.Forward(pool, x, steps) // steps.Rows() × 400
package sequence
