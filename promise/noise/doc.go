// Package noise samples the random numbers that releases are made of: from a
// keyed cryptographic stream, on integers, from tables whose weights are
// integers too, so that the privacy loss of what is really sampled can be
// computed and not only estimated.
//
// [Stream] is the source; [Stream.Laplace], [Stream.Gaussian], [Stream.Spherical],
// [Stream.Send], [Stream.Bernoulli] and [Stream.IntN] are exact. [Stream.Normal] and
// [Stream.Gamma] are ordinary floats, for mechanisms that say so. The package
// is not for simulation speed or for model initialisation: take math/rand/v2.
//
//	s := noise.Crypto()
//	k := make([]int64, 768)
//	s.Laplace(k) // each step from one integer to the next costs LaplaceStep()
package noise
