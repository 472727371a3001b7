// Package decoy plants shortcuts in training data and asks which explainers reveal them.
//
// A decoy is a cue that stands for a class in the training rows alone: a word whose texts
// of one class were deleted, a word that was inserted, swapped articles, a pseudonym that
// depends on the label, or labels that were flipped. A model that learns from such rows
// adopts the cue, which its accuracy on the slice of texts with the cue shows ([Result]).
// Then explainers are judged by what their reader finds: how often the cue is the
// strongest word, which of two models is the clean one, what accuracy comes back when
// what was found is removed or penalised, and how many explanations have to be read until
// the first and the third that names the cue.
//
// What is found here was planted: an explainer that passes can still miss a shortcut of
// another kind. Nothing is private: rows and explanations are as secret as the texts. The
// smallest use is
//
//	d, err := decoy.Parse("deletion:movie:negative")
//	…
//	r, err := decoy.Run(ctx, data, []decoy.Decoy{d}, decoy.Options{Explainers: explainers})
package decoy
