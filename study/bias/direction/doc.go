// Package direction finds the direction of gender in word vectors and measures
// how far professions lie along it: the measures of Bolukbasi et al. (2016) and
// their extension to nine languages by Matthews et al. (2021).
//
// Defining pairs (woman, man) differ by gender. Each member minus the mean of
// its pair, taken over all pairs, has a first principal component g, oriented so
// that female words score positive. The score of a word is cos(w, g), and
//
//	DirectBias = mean over professions of |score|^c, c = 1 by default.
//
// That a first component exists does not make it one of gender. Its confidence
// is the share of variance that it explains less that of the second; below 0.1,
// or with fewer than two different pairs, Measure refuses to call it a direction
// and says why. A random direction has a DirectBias above 0 too, so each result
// states what that would be.
//
// Scores describe vectors, not people; they are no guarantee of fairness and
// none of privacy. The smallest use is
//
//	words, err := direction.Builtin("de")
//	if err != nil {
//		return err
//	}
//	table, _, err := bias.Read("vectors.de.txt", bias.Options{Words: words.All()})
//	if err != nil {
//		return err
//	}
//	r, err := direction.Measure(table, words, direction.Options{})
package direction
