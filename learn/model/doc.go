// Package model holds trained models: what they compute, release and promise,
// and the folder that each is saved as.
//
// A [Model] encodes a row, releases it through its mechanism, and classifies
// what was released; a [Head] is the classifier alone, for a receiver. Both are
// saved as one folder and load without running anything ([Model.Save], [Load],
// [LoadHead]). The package trains nothing: package train does, and whoever only
// serves a model needs no training.
//
// The guarantee of a model is that of its mechanism, for a text whose vector
// is released. A real release passes a fresh secret key to [Model.Release].
//
//	m, info, err := model.Load("reviews/seed-1")
package model
