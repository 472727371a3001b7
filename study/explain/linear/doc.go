// Package linear is the classifier on which explainers are tried: logistic regression
// over words and pairs of words, or over the vectors of an encoder.
//
// It is solved to the end, so that it has no seed and what it learnt is decided by its
// rows alone. And it is simple enough that the truth about it is known: the weight of
// each word ([Model.Weights]), what a training row did to an answer ([Examples]), and
// what an answer would be if the weight of a word had to be small (Options.Against).
//
// It is not private: weights are of hashes of words, which hide nothing, and rows are
// kept as they came. Methods with a guarantee are in package train. The smallest use is
//
//	f := linear.Learn(texts)
//	rows, err := f.Rows(ctx, texts)
//	…
//	m, err := linear.Fit(ctx, f, rows, labels, classes, linear.Options{})
//	p, err := m.Predict(ctx, []string{"a dull film"})
package linear
