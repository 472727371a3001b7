// Package influence asks thousands of questions about a classifier at the price of a
// few: which word made it say that, which other word would flip it, and is one word
// treated worse than another over tens of thousands of contexts?
//
// A teacher is a classifier with a representation z of a text and a linear layer C on
// it. A student learns what a part of a text does to z: from what is left when the part
// is masked, and from the part by itself, it predicts the difference r between z and
// the representation z' of the masked text, so that C(z' + r) is what the teacher says.
// What the student makes of contexts and of words is computed once and kept, and a
// question is then a product of small matrices. What it answers is a conjecture until
// the teacher confirms it, which is cheap for a few.
//
// The method follows MOXIE. It promises no privacy: scores, replacements and tables are
// as secret as the texts. The smallest use is
//
//	t, err := influence.NewTeacher(ctx, encoder, data, 1)
//	s, err := influence.Train(ctx, t, data, influence.Settings{}, influence.Options{})
//	scores, err := s.Scores(ctx, "a dull film", influence.ScoreOptions{})
package influence
