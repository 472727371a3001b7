package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jdkato/prose/v3"

	"sotto/study/language"
	"sotto/study/language/conllu"
	"sotto/study/language/english"
)

// rounds is how often each is timed, by turns; the fastest counts.
const rounds = 3

// processor returns the processor time of this program so far, which other
// programs disturb less than the clock.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// compareTags prints how many words of the English Web Treebank's test part have
// the right tag of the Penn treebank, from its plain text, and how fast tokens,
// tags and names are found together.
func compareTags(folder string) error {
	gold, err := treebank(filepath.Join(folder, "ud_ewt", "en_ewt-ud-test.conllu.gz"))
	if err != nil {
		return err
	}
	pipeline, err := english.Load()
	if err != nil {
		return err
	}
	want := map[[2]int]string{}
	for _, t := range gold.Tokens {
		want[[2]int{t.Start, t.End}] = t.XPOS
	}
	var right [2]int
	var best [2]time.Duration
	for range rounds {
		begin := processor()
		d, err := pipeline.Document(gold.Text)
		if err != nil {
			return err
		}
		best[0] = faster(best[0], processor()-begin)
		right[0] = correct(want, d.Tokens)

		begin = processor()
		p, err := prose.NewDocument(gold.Text)
		if err != nil {
			return err
		}
		p.Entities()
		tokens := p.Tokens()
		best[1] = faster(best[1], processor()-begin)
		theirs := make([]language.Token, 0, len(tokens))
		for _, t := range tokens {
			theirs = append(theirs, language.Token{Start: t.Start, End: t.End(), XPOS: t.Tag})
		}
		right[1] = correct(want, theirs)
	}
	fmt.Printf("\ntags of %d words of plain text that are right, in percent: ours %.1f, prose %.1f\n", len(gold.Tokens),
		100*float64(right[0])/float64(len(gold.Tokens)), 100*float64(right[1])/float64(len(gold.Tokens)))
	words := float64(len(gold.Tokens))
	fmt.Printf("words a second of processor time: ours %.0f for tokens, tags, lemmas, trees, names and personal data; prose %.0f for tokens, tags and names\n",
		words/best[0].Seconds(), words/best[1].Seconds())
	return nil
}

func faster(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// correct counts tokens that are where they should be and have the right tag.
func correct(want map[[2]int]string, tokens []language.Token) int {
	n := 0
	for _, t := range tokens {
		if x, ok := want[[2]int{t.Start, t.End}]; ok && x == t.XPOS {
			n++
		}
	}
	return n
}

// treebank reads a file of CoNLL-U as one document.
func treebank(path string) (*language.Document, error) {
	f, err := os.Open(path) //nolint:gosec // a file of the folder of data that the user names
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	all, err := conllu.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return conllu.Document(all...), nil
}
