package lexicon

import (
	"bufio"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// files are the lexicons that are built in, as [Lexicon.Write] writes them, and the
// names of emoji for [Sentiment]. "go test -update" makes them from their sources.
//
//go:embed *.lex.gz emoji.tsv.gz
var files embed.FS

// infos are the lexicons that are built in. NOTICE has their licences.
var infos = []Info{
	{"vader", "how positive or negative a word is, from -4 to 4", "MIT", "Hutto and Gilbert, VADER, ICWSM 2014"},
	{"opinion", "positive and negative words of reviews", "CC BY 4.0", "Hu and Liu, KDD 2004"},
	{"empath", "194 topics and feelings", "MIT", "Fast, Chen and Bernstein, Empath, CHI 2016"},
	{"goemotions", "six emotions, by how much oftener a word stands in comments that carry them (z > 2)", "Apache-2.0", "made from GoEmotions, Demszky and others, ACL 2020"},
	{"xed", "eight emotions, by how much oftener a word stands in subtitles that carry them (z > 2)", "CC BY 4.0", "made from XED, Öhman and others, COLING 2020"},
}

// List returns what is built in.
func List() []Info { return slices.Clone(infos) }

// opened holds each lexicon once it was asked for.
var opened = func() map[string]func() (*Lexicon, error) {
	all := map[string]func() (*Lexicon, error){}
	for _, info := range infos {
		all[info.Name] = sync.OnceValues(func() (*Lexicon, error) { return unpack(info) })
	}
	return all
}()

// Open returns a lexicon that is built in.
func Open(name string) (*Lexicon, error) {
	open, ok := opened[name]
	if !ok {
		var names []string
		for _, info := range infos {
			names = append(names, info.Name)
		}
		return nil, fmt.Errorf("lexicon: the lexicon is %.40q, must be one of %s", name, strings.Join(names, ", "))
	}
	return open()
}

// Write writes a lexicon in the form of those that are built in: the categories in a line, and a line for each
// word with the numbers and weights of its categories.
func (l *Lexicon) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, strings.Join(l.categories, "\t"))
	words := make([]string, 0, len(l.words))
	for word := range l.words {
		words = append(words, word)
	}
	slices.Sort(words)
	for _, word := range words {
		fmt.Fprint(w, word)
		for _, e := range l.words[word] {
			fmt.Fprintf(w, "\t%d", slices.Index(l.categories, e.Category))
			if e.Weight != 1 {
				fmt.Fprintf(w, ":%v", e.Weight)
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// lines calls do for the lines of a file that is built in.
func lines(name string, do func(fields []string) error) error {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is in memory
	plain, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	all := bufio.NewScanner(plain)
	for all.Scan() {
		if err := do(strings.Split(all.Text(), "\t")); err != nil {
			return err
		}
	}
	return all.Err()
}

// unpack reads a lexicon that is built in.
func unpack(info Info) (*Lexicon, error) {
	l := &Lexicon{Info: info, words: map[string][]Entry{}}
	err := lines(info.Name+".lex.gz", func(fields []string) error {
		if l.categories == nil {
			l.categories = fields
			return nil
		}
		entries := make([]Entry, len(fields)-1)
		for i, field := range fields[1:] {
			at, weight, weighted := strings.Cut(field, ":")
			n, err := strconv.Atoi(at)
			if err != nil || n < 0 || n >= len(l.categories) {
				return fmt.Errorf("there is no category %.10q", at)
			}
			entries[i] = Entry{l.categories[n], 1}
			if weighted {
				if entries[i].Weight, err = number(weight); err != nil {
					return err
				}
			}
		}
		l.words[fields[0]] = entries
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lexicon: %s, which is built in: %w", info.Name, err)
	}
	return l, nil
}
