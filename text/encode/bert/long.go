package bert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sotto/compute/nn/transformer"
	"sotto/text"
)

// The rules for texts that are longer than a sequence may be.
const (
	Truncate   = "truncate"    // the first tokens alone are read
	Ends       = "ends"        // the first quarter of a sequence and the last three quarters, from both ends of the text
	Windows    = "windows"     // windows side by side; the mean over all of their tokens
	WindowsMax = "windows-max" // windows side by side; of each coordinate the largest of a window's mean
)

// Rules returns the rules by name, those that cost least first.
func Rules() []string { return []string{Truncate, Ends, Windows, WindowsMax} }

// Long says how a text is read that has more tokens than a sequence may have. The
// zero value is to truncate it.
type Long struct {
	Rule    string `json:"rule"`
	Windows int    `json:"windows,omitempty"` // most of a text, whose rest is left out; 0 means 8
}

const (
	defaultWindows = 8
	mostWindows    = 1024
	mostEnds       = 1 << 16 // tokens of a text whose end is found
)

// longFile is where a folder keeps its rule. Other libraries pass over it, and
// truncate.
const longFile = "long_texts.json"

// NewLong returns the rule of that name with its defaults; "" is to truncate.
func NewLong(rule string) (Long, error) { return Long{Rule: rule}.filled() }

func (l Long) filled() (Long, error) {
	l.Rule = cmp.Or(l.Rule, Truncate)
	switch {
	case !slices.Contains(Rules(), l.Rule):
		return l, fmt.Errorf("bert: the rule for long texts is %.40q, must be one of %s", l.Rule, strings.Join(Rules(), ", "))
	case l.Windows < 0 || l.Windows > mostWindows:
		return l, fmt.Errorf("bert: long texts have up to %d windows, must have from 1 to %d", l.Windows, mostWindows)
	case !l.windowed():
		l.Windows = 0
	default:
		l.Windows = cmp.Or(l.Windows, defaultWindows)
	}
	return l, nil
}

func (l Long) windowed() bool { return l.Rule == Windows || l.Rule == WindowsMax }

// Pooling returns what makes one vector of the windows of a text.
func (l Long) Pooling(first bool) transformer.Pooling {
	return transformer.Pooling{First: first, Max: l.Rule == WindowsMax}
}

// Sequences returns a text, of which spans are masked, as one sequence of at most
// limit tokens, or as several windows of about equal lengths. What is left out, and
// bytes that were not UTF-8, is counted in the first.
func (l Long) Sequences(w *text.WordPiece, s string, masked []text.Span, limit int) []text.Tokens {
	room := limit - 2 // for tokens of the text
	most := limit
	switch {
	case room < 1:
	case l.windowed():
		most = max(l.Windows, 1)*room + 2
	case l.Rule == Ends:
		most = max(mostEnds, limit)
	}
	t := w.EncodeMasked(s, masked, most)
	if len(t.IDs) <= limit {
		return []text.Tokens{t}
	}
	start, inner, end := t.IDs[0], t.IDs[1:len(t.IDs)-1], t.IDs[len(t.IDs)-1]
	sequence := func(parts ...[]int32) text.Tokens {
		ids := append(append([]int32{start}, slices.Concat(parts...)...), end)
		return text.Tokens{IDs: ids, Types: make([]int32, len(ids))}
	}
	var all []text.Tokens
	if l.Rule == Ends {
		head := room / 4
		all = append(all, sequence(inner[:head], inner[len(inner)-(room-head):]))
		t.Dropped += len(inner) - room
	} else {
		n := (len(inner) + room - 1) / room
		for i := range n {
			all = append(all, sequence(inner[i*len(inner)/n:(i+1)*len(inner)/n]))
		}
	}
	all[0].Dropped, all[0].Invalid = t.Dropped, t.Invalid
	return all
}
