// Package nn trains small neural networks on the processor: float32 matrices,
// layers with hand-written gradients, losses and optimisers, on a given number
// of workers. There is no automatic differentiation and no global state.
//
// A training has the same bits for every number of workers and for every run
// of a seed, with AVX-512 and AVX2 alike; see [Pool.Kernel]. Sums are never
// split, and dropout and noise are seeded by block of rows.
//
// Matrix products run on assembly for AVX-512 or AVX2, and on Go elsewhere.
// With AVX-512 the product of 2000×2304 by 2304×300 reaches about 85 % of what
// the processor's multipliers can do. BenchmarkProduct and BenchmarkStep measure
// on the machine at hand, and peer/run compares with PyTorch and OpenBLAS there.
//
// The randomness of this package comes from seeds and is not private. A model
// that is trained with [Noise] keeps no promise by that: what leaves it is
// released by the mechanism itself.
//
//	p := nn.NewPool(2)
//	model := nn.Sequential{nn.NewDense(300, 512, rng), &nn.ReLU{}, nn.NewDense(512, 2, rng)}
//	adam, err := nn.Adam{}.New(model.Params())
//	…
//	loss, grad := criterion.Loss(p, model.Forward(p, nn.Train, x), labels)
//	model.Backward(p, grad)
//	adam.Step(p)
package nn
