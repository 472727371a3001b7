package erase

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/floats"

	"sotto/study/bias"
)

// Concept is what is to be removed: some words of a table, each of a class.
type Concept struct {
	Classes []string
	Rows    []int // of the table
	Z       []int // classes, one for each of Rows
	Lost    int   // words of a list that the table does not have
	// Clear are the words that show the concept best, as places in Rows. They
	// are for [Clusters].
	Clear []int
}

// Gender chooses words by the sign and size of their cosine with she − he, of
// vectors of length 1, as Ravfogel et al. do for GloVe: what a table says of
// gender itself, without a list. The zero value uses the defaults.
type Gender struct {
	Words   int      // of each class; 0 means 7,500; fewer if there are not as many
	Among   int      // first words of the table, which are the commonest; 0 means 150,000
	Neutral bool     // a third class, drawn among the words whose cosine is below 0.03
	Exclude []string // words that are not taken, such as those that mean a gender
	Seed    uint64   // of the neutral words
}

// Limits of the choice: how large the cosine of a neutral word may be, and how
// many words of each class are clear.
const (
	neutralCosine = 0.03
	clearWords    = 500
)

// Choose returns the words, most female first, then most male first, then
// neutral ones. Only words of letters in lower case are taken: others are mostly
// numbers and names of products.
func (g Gender) Choose(t *bias.Table) (Concept, error) {
	if g.Words == 0 {
		g.Words = 7500
	}
	if g.Among == 0 {
		g.Among = 150_000
	}
	if g.Words < 1 || g.Among < 1 {
		return Concept{}, fmt.Errorf("erase: words are %d among %d, must be positive", g.Words, g.Among)
	}
	she, ok := t.Find("she")
	he, both := t.Find("he")
	if !ok || !both {
		return Concept{}, errors.New("erase: the table lacks she or he, by which words are chosen; give a list of words and classes instead")
	}
	direction := slices.Clone(she)
	floats.Scale(1/norm(she), direction)
	floats.AddScaled(direction, -1/norm(he), he)
	if !(norm(direction) > 1e-6) || !finite(direction) {
		return Concept{}, errors.New("erase: she and he have the same direction or none, must differ; give a list of words and classes instead")
	}
	ranked := g.rank(t, direction)
	slices.SortStableFunc(ranked, func(a, b scored) int { return cmp.Compare(b.cosine, a.cosine) })
	c := Concept{Classes: []string{"female", "male"}}
	for i := range min(g.Words, len(ranked)) {
		if ranked[i].cosine > 0 {
			c.add(ranked[i].row, 0, i < clearWords)
		}
	}
	for i := range min(g.Words, len(ranked)) {
		if s := ranked[len(ranked)-1-i]; s.cosine < 0 {
			c.add(s.row, 1, i < clearWords)
		}
	}
	if g.Neutral {
		c.Classes = append(c.Classes, "neutral")
		g.addNeutral(&c, ranked)
	}
	return c, c.check()
}

type scored struct {
	row    int
	cosine float64
}

// rank returns the words that may be taken, with their cosines.
func (g Gender) rank(t *bias.Table, direction []float64) []scored {
	not := map[int]bool{}
	for _, w := range g.Exclude {
		if i, ok := t.Index(w); ok {
			not[i] = true
		}
	}
	var ranked []scored
	for i := range min(t.Len(), g.Among) {
		word := t.Word(i)
		other := func(r rune) bool { return !unicode.IsLetter(r) || unicode.IsUpper(r) }
		if not[i] || strings.ContainsFunc(word, other) {
			continue
		}
		cosine := floats.Dot(direction, t.Row(i)) / (norm(direction) * norm(t.Row(i)))
		if !math.IsNaN(cosine) { // of a vector of zeros
			ranked = append(ranked, scored{i, cosine})
		}
	}
	return ranked
}

// addNeutral adds words that are next to the middle and not taken yet.
func (g Gender) addNeutral(c *Concept, ranked []scored) {
	taken := map[int]bool{}
	for _, i := range c.Rows {
		taken[i] = true
	}
	ranked = slices.DeleteFunc(ranked, func(s scored) bool { return taken[s.row] || !(math.Abs(s.cosine) < neutralCosine) })
	// The second word keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(g.Seed, 0x6e65757472616c))
	rng.Shuffle(len(ranked), func(i, j int) { ranked[i], ranked[j] = ranked[j], ranked[i] })
	for i := range min(g.Words, len(ranked)) {
		c.add(ranked[i].row, 2, i < clearWords)
	}
}

func (c *Concept) add(row, class int, isClear bool) {
	if isClear {
		c.Clear = append(c.Clear, len(c.Rows))
	}
	c.Rows, c.Z = append(c.Rows, row), append(c.Z, class)
}

// check reports a concept that cannot be told apart.
func (c *Concept) check() error {
	counts := make([]int, len(c.Classes))
	for _, z := range c.Z {
		counts[z]++
	}
	if len(counts) < 2 || slices.Min(counts) < leastWords {
		return fmt.Errorf("erase: there are %d classes and the smallest has too few words in the table, must be at least 2 classes of %d words", len(counts), leastWords)
	}
	return nil
}

// leastWords is how many words a class must have, so that each part of a split
// has some.
const leastWords = 20

// maxClasses bounds the classes of a list.
const maxClasses = 1000

// ReadConcept reads a list of words and classes, a word, a tab and its class on
// each line, and looks the words up as [bias.Table.Index] does. Errors name the
// line and do not quote it.
func ReadConcept(r io.Reader, t *bias.Table) (Concept, error) {
	var c Concept
	number, seen := map[string]int{}, map[int]bool{}
	counts := map[int]int{}
	lines := bufio.NewScanner(r)
	for line := 1; lines.Scan(); line++ {
		word, class, ok := strings.Cut(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		if !ok || word == "" || class == "" || strings.Contains(class, "\t") {
			return c, fmt.Errorf("erase: line %d is not a word, a tab and a class", line)
		}
		z, known := number[class]
		if !known {
			if len(c.Classes) == maxClasses {
				return c, fmt.Errorf("erase: line %d has yet another class, must be at most %d", line, maxClasses)
			}
			z = len(c.Classes)
			number[class] = z
			c.Classes = append(c.Classes, class)
		}
		i, ok := t.Index(word)
		switch {
		case !ok:
			c.Lost++
		case seen[i]:
			return c, fmt.Errorf("erase: the word of line %d has a line before, must have one", line)
		default:
			seen[i] = true
			c.add(i, z, counts[z] < clearWords)
			counts[z]++
		}
	}
	if err := lines.Err(); err != nil {
		return c, fmt.Errorf("erase: list of words and classes: %w", err)
	}
	return c, c.check()
}

// maxList bounds a list of words.
const maxList = 1 << 24

// ReadWords reads words, a JSON list or one a line.
func ReadWords(r io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxList))
	if err != nil {
		return nil, err
	}
	words := []string{}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if err := json.Unmarshal(text, &words); err != nil {
			return nil, errors.New("erase: the list is no JSON list of words")
		}
		return words, nil
	}
	for line := range strings.Lines(string(text)) {
		if word := strings.TrimSpace(line); word != "" {
			words = append(words, word)
		}
	}
	return words, nil
}

// ReadPairs reads a JSON list of lists of two words.
func ReadPairs(r io.Reader) ([][2]string, error) {
	var lists [][]string
	d := json.NewDecoder(io.LimitReader(r, maxList))
	if err := d.Decode(&lists); err != nil {
		return nil, errors.New("erase: the list is no JSON list of lists of two words")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("erase: the file goes on after its list, must end there")
	}
	pairs := make([][2]string, len(lists))
	for i, l := range lists {
		if len(l) != 2 || l[0] == "" || l[1] == "" {
			return nil, fmt.Errorf("erase: list %d has %d words, must have 2", i+1, len(l))
		}
		pairs[i] = [2]string{l[0], l[1]}
	}
	return pairs, nil
}
