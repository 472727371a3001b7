// Package teacher is the classifiers whose words package influence asks about: what
// has a representation of a text and a linear layer on it. That is an encoder with a
// layer fitted to its vectors, a tuned transformer, or a model of sotto train, whose
// noise, if it is private, is averaged or frozen.
//
// It shows a student texts with a part masked as the encoder sees them. It protects
// nobody: frozen noise is no release. The smallest use is
//
//	t, err := teacher.New(ctx, encoder, teacher.Texts{…}, 1)
//	classes, err := t.Answers(ctx, texts, 1)
package teacher
