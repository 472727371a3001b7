// Package weat runs word embedding association tests: are the words of one
// target set nearer to one attribute set than those of another, by which
// measure of nearness, and could it be chance.
//
// Of targets X, Y and attributes A, B, a word's association is
//
//	s(w) = f s(w, a) over A − f s(w, b) over B
//
// with a [Measure] s and a [Statistic] f; the effect size is the difference of
// its means over X and Y, divided by its standard deviation over both. It keeps
// its sign: a distance falls where a similarity rises, so the same stereotype
// has a positive effect by cosine and a negative one by a distance. Published
// tables show magnitudes.
//
// A test finds an association in vectors. It does not measure harm, and says
// nothing of privacy. The smallest use is
//
//	r, err := weat.Run(ctx, table, weat.Builtin()[0], weat.Options{})
//	if err != nil {
//		return err
//	}
//	fmt.Println(r.Variants[0].Effect, r.Variants[0].P)
//
// # Chance
//
// Under the null hypothesis the words of X and Y are exchangeable, so P is the
// share of partitions of X ∪ Y into parts of the same sizes whose difference of
// means is greater than the observed one, in the direction of the stereotype:
// greater for cosine, smaller for distances. With Options.TwoSided magnitudes
// are compared, and always so for [Optimum], which is no signed association.
//
// Where there are at most 200,000 partitions, or no more than Options.Samples,
// all are enumerated and P is the share of those that are strictly greater, as in
// the tests' definition: 0 means that none is, be there six of them or
// thousands. Such a P is no level. Variant.Inclusive counts those that are as
// great too, the observed one among them, (Greater+Equal)/Partitions, and is
// valid whatever ties there are: [Summarise] judges significance by it, and
// [Stars] should. Elsewhere distinct partitions other than the observed one are
// sampled, and both are (k+1)/(N+1) for k of N that are at least as great.
// Differences that agree to a relative 10⁻¹² are equal.
//
// # Reference
//
// Caliskan, Bryson and Narayanan, Semantics derived automatically from language
// corpora contain human-like biases, Science 2017; Azarpanah and Farhadloo,
// Measuring Biases of Word Embeddings, TrustNLP 2021, for the measures and
// statistics beside cosine and mean.
package weat
