package language

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/language"
	"sotto/study/language/lexicon"
)

// lexicons are those in which words of texts are looked up.
type lexicons []*lexicon.Lexicon

// of returns what a token belongs to, by lexicon; nil for nothing.
func (all lexicons) of(w *language.Token) map[string][]lexicon.Entry {
	var found map[string][]lexicon.Entry
	for _, l := range all {
		if entries := l.Look(w.Text, w.Lemma); entries != nil {
			if found == nil {
				found = map[string][]lexicon.Entry{}
			}
			found[l.Name] = entries
		}
	}
	return found
}

// counted is what a text has of each lexicon, and how positive it is by the rules of
// VADER where that is among them.
func (all lexicons) counted(d *language.Document) (totals map[string][]lexicon.Total, score *lexicon.Score, err error) {
	if len(all) == 0 {
		return nil, nil, nil
	}
	words := make([][]string, len(d.Tokens))
	for i := range d.Tokens {
		words[i] = []string{d.Tokens[i].Text, d.Tokens[i].Lemma}
	}
	totals = map[string][]lexicon.Total{}
	for _, l := range all {
		totals[l.Name] = l.Count(words)
		if l.Name == "vader" {
			s, failed := lexicon.Sentiment(d.Text)
			if failed != nil {
				return nil, nil, failed
			}
			score = &s
		}
	}
	return totals, score, nil
}

// newLexicons lists what is built in.
func newLexicons(std term.Streams) *cobra.Command {
	var asked bool
	c := &cobra.Command{
		Use:   "lexicons",
		Short: "List the lexicons that sotto tag --lexicon looks words up in",
		Long: `List the lexicons that are built in, with what they say of words, how many they have
and their licences. sotto tag --lexicon also reads files: lines of word, category and
number between tabs, as those of NRC's EmoLex, which you get from its authors; or a
table with a header that begins with "word".`,
		Example: "  sotto language lexicons\n  echo 'What a lovely day!' | sotto tag --json --lexicon vader,empath",
		Args:    term.None,
		RunE:    func(*cobra.Command, []string) error { return listLexicons(std.Out, asked) },
	}
	c.Flags().BoolVar(&asked, "json", false, "print JSON")
	return c
}

func listLexicons(out io.Writer, asked bool) error {
	type line struct {
		lexicon.Info
		Words      int `json:"words"`
		Categories int `json:"categories"`
	}
	var all []line
	for _, info := range lexicon.List() {
		l, err := lexicon.Open(info.Name)
		if err != nil {
			return err
		}
		all = append(all, line{info, l.Words(), len(l.Categories())})
	}
	if asked {
		return term.PrintJSON(out, all)
	}
	t := term.NewTable(out, "NAME", "WORDS", "CATEGORIES", "LICENCE", "WHAT", "SOURCE").Spare("SOURCE")
	for _, l := range all {
		t.Cells(l.Name, fmt.Sprint(l.Words), fmt.Sprint(l.Categories), l.Licence, l.What, l.Source)
	}
	return t.Flush()
}
