package decoy

import (
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/internal/layout"
	"sotto/study/explain"
	"sotto/study/explain/linear"
	"sotto/study/language"
	"sotto/study/language/english"
)

// Data are labelled texts in two parts.
type Data struct {
	Name        string
	Classes     []string
	Train, Test Part
}

// Part is texts and the class of each.
type Part struct {
	Texts  []string
	Labels []int
}

// Planted are training rows with decoys in them.
type Planted struct {
	Part
	From    []int  // the training row that each was
	Flipped []bool // whether its label was changed
}

// Validate reports what cannot be worked with, without quoting a text.
func (d Data) Validate() error {
	if len(d.Classes) < 2 {
		return fmt.Errorf("decoy: %s has %d classes, must have at least 2", d.Name, len(d.Classes))
	}
	for _, p := range []struct {
		name string
		Part
	}{{"training", d.Train}, {"test", d.Test}} {
		if len(p.Texts) == 0 || len(p.Texts) != len(p.Labels) {
			return fmt.Errorf("decoy: the %s part of %s has %d texts and %d labels, must have as many of both and at least one", p.name, d.Name, len(p.Texts), len(p.Labels))
		}
		for _, y := range p.Labels {
			if y < 0 || y >= len(d.Classes) {
				return fmt.Errorf("decoy: a label of the %s part of %s is %d, must be below %d", p.name, d.Name, y, len(d.Classes))
			}
		}
	}
	return nil
}

// other stands for the classes beside that of a decoy.
const other = -1

// planter plants decoys with randomness from a seed.
type planter struct {
	classes []string
	rng     *weakrand.Rand
	names   language.Pipeline // nil until it is needed
}

// newPlanter returns one whose randomness depends on the seed and on what is planted.
func newPlanter(classes []string, seed uint64, stream uint64) *planter {
	return &planter{classes: classes, rng: weakrand.New(weakrand.NewPCG(seed, stream))}
}

// class returns the place of a class.
func (p *planter) class(name string) (int, error) {
	if c := slices.Index(p.classes, name); c >= 0 {
		return c, nil
	}
	shown := p.classes
	if len(shown) > 20 {
		shown = shown[:20]
	}
	return 0, fmt.Errorf("decoy: class is %.40q, must be one of %s%s", name, strings.Join(shown, ", "), layout.Hint(name, p.classes))
}

// check refuses classes that there are not.
func (p *planter) check(d Decoy) error {
	names := []string{d.Class}
	if d.Recipe == Insert {
		names = names[:0]
		for _, c := range d.Put {
			names = append(names, c.Class)
		}
	}
	for _, name := range names {
		if d.Recipe == Flip {
			continue
		}
		if _, err := p.class(name); err != nil {
			return fmt.Errorf("%w, in %s", err, d)
		}
	}
	return nil
}

// Plant returns training rows with decoys in them, planted one after another.
func Plant(d Data, decoys []Decoy, seed uint64) (*Planted, error) {
	out := &Planted{Part: Part{slices.Clone(d.Train.Texts), slices.Clone(d.Train.Labels)}, Flipped: make([]bool, len(d.Train.Texts))}
	for i := range out.Texts {
		out.From = append(out.From, i)
	}
	for k, decoy := range decoys {
		p := newPlanter(d.Classes, seed, uint64(k))
		if err := p.check(decoy); err != nil {
			return nil, err
		}
		if err := p.plant(decoy, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p *planter) plant(d Decoy, rows *Planted) error {
	switch d.Recipe {
	case Deletion:
		class, err := p.class(d.Class)
		if err != nil {
			return err
		}
		rows.keep(func(i int) bool { return rows.Labels[i] != class || !has(rows.Texts[i], d.Word) })
		return nil
	case Flip:
		n := len(rows.Texts)
		for _, i := range p.rng.Perm(n)[:int(math.Round(d.Share*float64(n)))] {
			// Any other class is as likely.
			rows.Labels[i] = (rows.Labels[i] + 1 + p.rng.IntN(len(p.classes)-1)) % len(p.classes)
			rows.Flipped[i] = true
		}
		return nil
	default:
	}
	for i, s := range rows.Texts {
		changed, _, err := p.as(d, s, rows.Labels[i])
		if err != nil {
			return err
		}
		rows.Texts[i] = changed
	}
	return nil
}

// keep drops the rows that do not.
func (r *Planted) keep(which func(i int) bool) {
	n := 0
	for i := range r.Texts {
		if which(i) {
			r.Texts[n], r.Labels[n], r.From[n], r.Flipped[n] = r.Texts[i], r.Labels[i], r.From[i], r.Flipped[i]
			n++
		}
	}
	r.Texts, r.Labels, r.From, r.Flipped = r.Texts[:n], r.Labels[:n], r.From[:n], r.Flipped[:n]
}

// as returns a text as a decoy makes it where its label is a class, or other, and
// whether it then has a cue.
func (p *planter) as(d Decoy, s string, class int) (string, bool, error) {
	switch d.Recipe {
	case Insert:
		var fit []string
		for _, c := range d.Put {
			if at, err := p.class(c.Class); err != nil {
				return "", false, err
			} else if at == class {
				fit = append(fit, c.Word)
			}
		}
		if len(fit) == 0 {
			return s, false, nil
		}
		return insert(s, fit[p.rng.IntN(len(fit))], p.rng), true, nil
	case Swap, Pseudonym:
		at, err := p.class(d.Class)
		if err != nil {
			return "", false, err
		}
		if d.Recipe == Pseudonym {
			return p.rename(s, d.Type, at == class)
		}
		from, to := d.By, d.Word
		if at == class {
			from, to = d.Word, d.By
		}
		out := swap(s, from, to)
		return out, has(out, to), nil
	case Deletion:
		return s, has(s, d.Word), nil
	default:
		return s, false, nil
	}
}

// misled returns for which class a decoy must be planted in a text so that it speaks
// against its label: false if it cannot.
func (p *planter) misled(d Decoy, label int) (int, bool) {
	switch d.Recipe {
	case Swap, Pseudonym:
		if at, err := p.class(d.Class); err == nil && at == label {
			return other, true
		} else if err == nil {
			return at, true
		}
	case Insert:
		for step := 1; step < len(p.classes); step++ {
			next := (label + step) % len(p.classes)
			if slices.ContainsFunc(d.Put, func(c Cue) bool { return c.Class == p.classes[next] }) {
				return next, true
			}
		}
	default:
	}
	return 0, false
}

// has reports whether a text has a word.
func has(s, word string) bool {
	if !strings.Contains(strings.ToLower(s), word) {
		return false // most texts
	}
	for _, w := range linear.Tokens(s) {
		if strings.ToLower(s[w.Start:w.End]) == word {
			return true
		}
	}
	return false
}

// insert puts a word before a text or behind one of its words.
func insert(s, word string, rng *weakrand.Rand) string {
	words := linear.Tokens(s)
	k := rng.IntN(len(words) + 1)
	if k == 0 {
		return word + " " + s
	}
	at := words[k-1].End
	return s[:at] + " " + word + s[at:]
}

// swap replaces a word, wherever it stands.
func swap(s, from, to string) string {
	words := linear.Tokens(s)
	for i := len(words) - 1; i >= 0; i-- {
		if w := words[i]; strings.ToLower(s[w.Start:w.End]) == from {
			s = explain.Replace(s, w, likeCase(to, s[w.Start:w.End]))
		}
	}
	return s
}

// likeCase returns a word with a capital where another has one.
func likeCase(word, like string) string {
	first, _ := utf8.DecodeRuneInString(like)
	if !unicode.IsUpper(first) {
		return word
	}
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// rename replaces the names of a type by the pseudonym of the class, or of the others.
func (p *planter) rename(s string, t language.Type, inClass bool) (string, bool, error) {
	if p.names == nil {
		var err error
		if p.names, err = english.Entities(); err != nil {
			return "", false, err
		}
	}
	d, err := p.names.Document(s)
	if err != nil {
		return "", false, errors.New("decoy: a text cannot be searched for names")
	}
	by := pseudonyms[t][1]
	if inClass {
		by = pseudonyms[t][0]
	}
	renamed := false
	for i := len(d.Entities) - 1; i >= 0; i-- {
		if e := d.Entities[i]; e.Type == t {
			s, renamed = s[:e.Start]+by+s[e.End:], true
		}
	}
	return s, renamed, nil
}
