// Package train fits the methods whose representations are compared: baselines
// that see nothing, a model without protection, and every published remedy,
// each as described, as released and as it should be.
//
// A method is a plain struct of hyper-parameters; [Fit] returns a model of
// package model, which encodes a row, releases it through its mechanism, and
// classifies what was released. All methods share the shapes of encoder,
// classifier and adversary ([Shape]), so that they differ in nothing but their
// idea.
//
// The guarantee of a model is that of its mechanism, for a text whose vector
// is released. It says nothing of the texts on which the encoder was trained,
// and the noise of training and measuring comes from a seed, which protects
// nobody: a real release passes a fresh secret key to [model.Model.Release]. The
// package reads no data sets and knows no text; see package experiment.
//
//	m, err := train.Fit(ctx, train.Federate{
//		Lambda:  1,
//		Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 8},
//	}, data, train.Options{Seed: 1})
package train
