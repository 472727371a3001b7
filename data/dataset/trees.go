package dataset

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// Tree is a sentence of the Stanford Sentiment Treebank with its constituents. In
// small letters its text is that of the sets sst2 and sst5.
type Tree struct {
	Part  Part
	Words []string
	// Phrases are the constituents, the words themselves among them, children before
	// what they are a part of: the sentence is the last.
	Phrases []Phrase
}

// Phrase is a constituent.
type Phrase struct {
	First, End int // words, from First up to, but without, End
	Class      int // from 0, very negative, to 4, very positive
}

// Text returns the words from first up to, but without, end, as one text in small
// letters, with a space between words.
func (t Tree) Text(first, end int) string {
	return strings.ToLower(strings.Join(t.Words[first:end], " "))
}

// Class returns that of the sentence.
func (t Tree) Class() int { return t.Phrases[len(t.Phrases)-1].Class }

// treeFiles are the files of the treebank, with the number of sentences of each.
var treeFiles = []struct {
	part Part
	path string
	rows int
}{
	{Train, "sst_trees/train.txt", 8544},
	{Validation, "sst_trees/dev.txt", 1101},
	{Test, "sst_trees/test.txt", 2210},
}

// Trees reads the Stanford Sentiment Treebank below dir; "" means [Dir]. If a file is
// absent, the error wraps fs.ErrNotExist.
func Trees(dir string) ([]Tree, error) {
	var all []Tree
	for _, f := range treeFiles {
		data, err := content(os.DirFS(orDir(dir)), f.path)
		if err != nil {
			return nil, err
		}
		rows := 0
		for line := range strings.Lines(string(data)) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			rows++
			t, err := ParseTree(line)
			if err != nil {
				return nil, fmt.Errorf("dataset: %s: tree %d: %w", f.path, rows, err)
			}
			t.Part = f.part
			all = append(all, t)
		}
		if rows != f.rows {
			return nil, fmt.Errorf("dataset: %s has %d trees, must have %d", f.path, rows, f.rows)
		}
	}
	return all, nil
}

// maxDepth bounds the trees that are read, far above any sentence.
const maxDepth = 1 << 12

var errTree = errors.New("it is no tree of the form (3 (2 a) (3 word))")

// ParseTree reads a tree as the treebank writes it, such as (3 (2 a) (3 word)). Its
// errors do not quote it.
func ParseTree(line string) (Tree, error) {
	if !utf8.ValidString(line) {
		return Tree{}, errors.New("it is not UTF-8")
	}
	p := treeParser{rest: strings.TrimSpace(line)}
	if err := p.phrase(0); err != nil {
		return Tree{}, err
	}
	if p.rest != "" {
		return Tree{}, errTree
	}
	return p.tree, nil
}

type treeParser struct {
	rest string
	tree Tree
}

// phrase takes one constituent from the beginning of what is left.
func (p *treeParser) phrase(depth int) error {
	if depth > maxDepth || len(p.rest) < 3 || p.rest[0] != '(' || p.rest[1] < '0' || p.rest[1] > '4' || p.rest[2] != ' ' {
		return errTree
	}
	found := Phrase{First: len(p.tree.Words), Class: int(p.rest[1] - '0')}
	p.rest = p.rest[3:]
	if strings.HasPrefix(p.rest, "(") {
		for strings.HasPrefix(p.rest, "(") {
			if err := p.phrase(depth + 1); err != nil {
				return err
			}
			p.rest = strings.TrimLeft(p.rest, " ")
		}
	} else {
		end := strings.IndexAny(p.rest, "() \t")
		if end < 1 {
			return errTree
		}
		p.tree.Words = append(p.tree.Words, p.rest[:end])
		p.rest = p.rest[end:]
	}
	if !strings.HasPrefix(p.rest, ")") {
		return errTree
	}
	p.rest = p.rest[1:]
	found.End = len(p.tree.Words)
	p.tree.Phrases = append(p.tree.Phrases, found)
	return nil
}
