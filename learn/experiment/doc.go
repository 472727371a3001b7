// Package experiment runs methods on data sets: it loads and encodes the data,
// trains every configuration of a grid with several seeds side by side, measures
// each model, and selects. A [Spec] decides a [Result].
//
// What is measured are simulated releases, whose noise comes from the seed, so
// that a result can be repeated. The package prints nothing; the command and
// package report do.
//
//	result, err := experiment.Run(ctx, experiment.Spec{
//		Data: "reviews", Methods: []string{"federate"}, Epsilons: []float64{8}, Seeds: 5,
//	}, experiment.Options{})
package experiment
