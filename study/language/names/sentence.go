package names

import (
	"strings"

	"sotto/study/language"
)

// Span is a name: tokens of a sentence, by place, and what they name.
type Span struct {
	Type       language.Type
	Start, End int     // tokens
	Confidence float64 // calibrated probability that both places and the type are right
}

// same reports whether another span has the same type and place.
func (s Span) same(o Span) bool { return o.Type == s.Type && o.Start == s.Start && o.End == s.End }

// Sentence is what names are found in: words in order, and where lines break.
type Sentence struct {
	Words  []string
	Breaks []bool // whether a line breaks before each word; nil for nowhere
	Spans  []Span // in order and without overlap
}

// pieces cuts the tokens of a document into pieces of bounded length, where
// sentences end if it can.
func pieces(tokens []language.Token) [][2]int {
	const longest = 256
	var cuts [][2]int
	for from := 0; from < len(tokens); {
		end := min(from+longest, len(tokens))
		if end < len(tokens) {
			for k := end; k > from+longest/2; k-- {
				if w := tokens[k-1].Text; w == "." || w == "!" || w == "?" {
					end = k
					break
				}
			}
		}
		cuts = append(cuts, [2]int{from, end})
		from = end
	}
	return cuts
}

// sentence returns the words of tokens, with the lines of the text.
func sentence(text string, tokens []language.Token) Sentence {
	s := Sentence{Words: make([]string, len(tokens)), Breaks: make([]bool, len(tokens))}
	for i, t := range tokens {
		s.Words[i] = text[t.Start:t.End]
		from := 0
		if i > 0 {
			from = tokens[i-1].End
		} else {
			s.Breaks[i] = true
			continue
		}
		s.Breaks[i] = strings.IndexByte(text[from:max(from, t.Start)], '\n') >= 0
	}
	return s
}
