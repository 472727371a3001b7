// Package plan says, before anything is trained for good, what a release will
// give at each ε and which ε is needed for an accuracy that is wanted.
//
// One model without protection is trained, on the trusted side. Everything else
// follows from it by package channel: at each ε the codes are those of the public
// channel, or of the one that is fitted to the validation rows, and their accuracy
// on the test rows is computed from the exact law of the release, without a draw.
// So a plan is what the method codes with the same settings and seed will
// measure, at every ε, for the time of one training.
//
// A plan is of one seed, and of the test rows that there are: the intervals say
// how far the accuracy on other texts of the same kind may be from it. It is no
// release and protects nobody; its numbers are computed from raw texts. The
// smallest use is
//
//	p, err := plan.New(ctx, experiment.Spec{Data: "reviews"}, plan.Options{})
//	point, err := p.At(ctx, 4)
//	fmt.Println(point.Accuracy, point.Limit)
//
// At answers a second time from memory, so that a slider can be moved over the
// values of [Planner.Grid].
package plan
