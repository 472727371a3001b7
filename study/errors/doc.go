// Package errors says where a classifier fails and for whom: it learns, from
// features that people can read, which answers are wrong, ranks texts by how likely
// theirs is, and finds the cohorts that suffer, also from privacy.
//
// It takes answers of any model. What it learns speaks of associations in these
// texts, not of causes; what it says of a cohort is as sure as the interval beside
// it. Features of texts are made by whatever is a [Maker]. The smallest use is
//
//	x, err := errors.Shape{}.Make(ctx, texts, errors.Work{})
package errors
