// Package channel finds the best release of one of several answers under
// ε-local differential privacy, and proves how far from the best it is.
//
// A server that receives a release can only turn it into answers, one for each
// label. So nothing is lost if the release is the answers themselves, drawn by
// a channel that is ε-private, and the best release of all is the channel whose
// answers are most often right. Given what the trusted side knows of each text,
// the share of right labels that it expects of each answer, that channel is the
// solution of a linear program, which [Solve] finds with a bound that no
// channel exceeds: see channel.md for both proofs.
//
// The package draws nothing and promises nothing: package mech has the
// mechanism (codes) that releases by the weights found here. The smallest use
// is
//
//	answers, err := channel.Answers([]int{2, 2}, 0)
//	scores := channel.Scores(posteriors, []int{2, 2}, nil, answers)
//	s, err := channel.Solve(ctx, scores, 4, channel.Options{})
//	fmt.Println(s.Value, s.Bound)
package channel
