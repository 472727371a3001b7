// Package bias holds what measures of bias in word vectors share: a Table of
// words with their vectors, how it is read from the files in use, and how it is
// released through a mechanism again and again ([Release]), so that each measure
// can be taken before and after.
//
// The measures are in packages of their own: study/bias/weat has association tests,
// study/bias/direction the gender direction, study/bias/erase what removes it. Each has a
// Study that runs what a command runs, and a Report that is stored. None of them
// is a privacy guarantee. The smallest use is
//
//	t, _, err := bias.Read("glove.txt.gz", bias.Options{Words: []string{"woman", "man"}})
//	if err != nil {
//		return err
//	}
//	row, ok := t.Find("woman")
package bias
