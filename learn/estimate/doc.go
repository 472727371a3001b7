// Package estimate says what many private releases tell together: how common
// each answer is among those who gave them, with intervals, and whether two
// groups or periods differ.
//
// A single release is mostly noise. How it is drawn is public, though, so that
// the shares of answers among many releases can be turned into the shares of
// what was answered. This spends no privacy: whoever holds the releases may
// compute it. What is counted is what the trusted side answered; where that is
// a classifier, its errors are in the shares.
//
// It draws nothing, reads no files and holds a number for each answer, however
// many releases there are. The smallest use is
//
//	t, err := estimate.NewTally(m) // m is a mech.Answering
//	for _, y := range releases {
//		err = t.Add(y)
//	}
//	s, err := t.Shares(0.95)
package estimate
