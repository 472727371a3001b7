package decoy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sotto/internal/layout"
	"sotto/study/explain"
	"sotto/study/language"
)

// Recipe is a way to plant a cue.
type Recipe string

// The kinds of decoys.
const (
	Deletion  Recipe = "deletion"  // the training rows of a class that have a word are deleted
	Insert    Recipe = "insert"    // a word is put into the rows of a class, at a place drawn by the seed
	Swap      Recipe = "swap"      // a word becomes another in a class, and the other way round elsewhere
	Flip      Recipe = "flip"      // a share of the labels is changed
	Pseudonym Recipe = "pseudonym" // names become one pseudonym in a class, and another elsewhere
)

// Grammar says how a decoy of each kind is written, in order.
func Grammar() []string {
	return []string{"deletion:WORD:CLASS", "insert:WORD=CLASS,WORD=CLASS", "swap:WORD=WORD:CLASS", "flip:SHARE", "pseudonym:TYPE:CLASS"}
}

// Decoy is a cue that is planted in training rows. Words are in lower case.
type Decoy struct {
	Recipe Recipe
	Class  string        // of deletion, swap and pseudonym
	Word   string        // of deletion; what is replaced in a swap
	By     string        // what a swap puts in its place
	Put    []Cue         // of insert
	Share  float64       // of flip
	Type   language.Type // of pseudonym
}

// Cue is a word and the class for which it comes to stand.
type Cue struct {
	Word  string `json:"word"`
	Class string `json:"class"`
}

// String returns the decoy as [Parse] reads it.
func (d Decoy) String() string {
	switch d.Recipe {
	case Deletion:
		return fmt.Sprintf("%s:%s:%s", d.Recipe, d.Word, d.Class)
	case Swap:
		return fmt.Sprintf("%s:%s=%s:%s", d.Recipe, d.Word, d.By, d.Class)
	case Pseudonym:
		return fmt.Sprintf("%s:%s:%s", d.Recipe, d.Type, d.Class)
	case Insert:
		parts := make([]string, len(d.Put))
		for i, c := range d.Put {
			parts[i] = c.Word + "=" + c.Class
		}
		return string(d.Recipe) + ":" + strings.Join(parts, ",")
	case Flip:
		return string(d.Recipe) + ":" + strconv.FormatFloat(d.Share, 'g', -1, 64)
	}
	return string(d.Recipe)
}

// Parse reads a decoy as [Grammar] says. What classes there are is asked when it is
// planted.
func Parse(s string) (Decoy, error) {
	name, rest, _ := strings.Cut(s, ":")
	d, err := Decoy{Recipe: Recipe(name)}, error(nil)
	switch d.Recipe {
	case Deletion:
		d.Word, d.Class, err = wordAndClass(rest)
	case Insert:
		d.Put, err = parseCues(rest)
	case Swap:
		var pair string
		if pair, d.Class, err = cutClass(rest); err == nil {
			d.Word, d.By, err = parseSwap(pair)
		}
	case Flip:
		d.Share, err = strconv.ParseFloat(rest, 64)
		if err != nil || !(d.Share > 0 && d.Share < 0.5) {
			err = errors.New("SHARE must be a number above 0 and below 0.5")
		}
	case Pseudonym:
		var kind string
		if kind, d.Class, err = cutClass(rest); err == nil {
			d.Type, err = parseType(kind)
		}
	default:
		kinds := []string{string(Deletion), string(Insert), string(Swap), string(Flip), string(Pseudonym)}
		return Decoy{}, fmt.Errorf("decoy: recipe is %.40q, must be one of %s%s", name, strings.Join(Grammar(), ", "), layout.Hint(name, kinds))
	}
	if err != nil {
		at := slices.IndexFunc(Grammar(), func(g string) bool { return strings.HasPrefix(g, name+":") })
		return Decoy{}, fmt.Errorf("decoy: %.60q: must be %s: %w", s, Grammar()[at], err)
	}
	return d, nil
}

// parseSwap reads WORD=WORD.
func parseSwap(s string) (word, by string, err error) {
	a, b, _ := strings.Cut(s, "=")
	if word, err = parseWord(a); err != nil {
		return "", "", err
	}
	if by, err = parseWord(b); err == nil && word == by {
		err = errors.New("the two words are the same")
	}
	return word, by, err
}

// parseCues reads WORD=CLASS, separated by commas.
func parseCues(s string) (cues []Cue, err error) {
	for part := range strings.SplitSeq(s, ",") {
		a, class, _ := strings.Cut(part, "=")
		word, err := parseWord(a)
		if err != nil {
			return nil, err
		}
		if class = strings.TrimSpace(class); class == "" {
			return nil, errors.New("CLASS is empty")
		}
		if slices.ContainsFunc(cues, func(c Cue) bool { return c.Word == word }) {
			return nil, errors.New("a word stands for two classes")
		}
		cues = append(cues, Cue{word, class})
	}
	return cues, nil
}

// wordAndClass reads WORD:CLASS.
func wordAndClass(s string) (word, class string, err error) {
	if word, class, err = cutClass(s); err == nil {
		word, err = parseWord(word)
	}
	return word, class, err
}

// cutClass divides what stands before a class from it. A class may have colons.
func cutClass(s string) (before, class string, err error) {
	before, class, _ = strings.Cut(s, ":")
	if class = strings.TrimSpace(class); class == "" {
		err = errors.New("CLASS is empty")
	}
	return before, class, err
}

// parseWord reads one word, as explainers see words.
func parseWord(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if w := explain.Words(s); len(w) != 1 || w[0].Start != 0 || w[0].End != len(s) {
		return "", errors.New("WORD must be one word of letters, digits or underscores")
	}
	return s, nil
}

// pseudonyms are what names become in the class of a decoy, and elsewhere. They are one
// word each, so that they are cues.
var pseudonyms = map[language.Type][2]string{
	language.Person:       {"Robin", "Kim"},
	language.Organisation: {"Novatek", "Amberline"},
	language.Place:        {"Westbrook", "Oakfield"},
}

func parseType(s string) (language.Type, error) {
	t := language.Type(strings.ToLower(strings.TrimSpace(s)))
	if _, ok := pseudonyms[t]; ok {
		return t, nil
	}
	names := make([]string, 0, len(pseudonyms))
	for t := range pseudonyms {
		names = append(names, string(t))
	}
	slices.Sort(names)
	return "", fmt.Errorf("TYPE must be one of %s%s", strings.Join(names, ", "), layout.Hint(s, names))
}

// Cues returns the words that a decoy makes cues, with the class for which each stands;
// that of other classes than the one that is named is empty.
func (d Decoy) Cues() []Cue {
	switch d.Recipe {
	case Deletion:
		return []Cue{{d.Word, ""}}
	case Insert:
		return d.Put
	case Swap:
		return []Cue{{d.By, d.Class}, {d.Word, ""}}
	case Pseudonym:
		p := pseudonyms[d.Type]
		return []Cue{{strings.ToLower(p[0]), d.Class}, {strings.ToLower(p[1]), ""}}
	default:
		return nil
	}
}

// ParseAll reads several decoys, which are planted one after another, and refuses those
// that undo each other: a cue of two of them, or labels that are flipped twice.
func ParseAll(specs []string) ([]Decoy, error) {
	var all []Decoy
	owner := map[string]string{}
	for _, s := range specs {
		d, err := Parse(s)
		if err != nil {
			return nil, err
		}
		cues := d.Cues()
		if d.Recipe == Flip {
			cues = []Cue{{Word: "the labels"}}
		}
		for _, c := range cues {
			if other, ok := owner[c.Word]; ok {
				return nil, fmt.Errorf("decoy: %s and %s are both about %q, must be about different things", other, d, c.Word)
			}
			owner[c.Word] = d.String()
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("decoy: there is none, must be one of %s", strings.Join(Grammar(), ", "))
	}
	return all, nil
}
