package direction

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"sotto/study/bias"
)

// ReadKeyed reads vectors that are keyed by an English word and a gender, not by
// the word that they are of: CSV with the columns word, gender (F, M or N) and
// numbers V1, V2, …; language_code, one and the same, if it is there. Rows of one
// word and gender are averaged: first those with one translation_id, if it is
// there, since they are the words of one translation, and then translations.
// Rows whose numbers are NA or NaN are left out, so that their words are lost.
// Where a profession has the same vector for F and M, its form is neutral; where
// words of pairs have the same vector, they are one word.
//
// It returns the table and the word set to measure it with: the given pairs, by
// their English words, and as professions the words that have rows of F or M. A
// file with a column translation is one of other words and has no professions.
func ReadKeyed(in io.Reader, pairs []Pair) (*bias.Table, Words, error) {
	k := keyed{sums: map[string][]sum{}}
	if err := k.read(in); err != nil {
		return nil, Words{}, fmt.Errorf("direction: %w", err)
	}
	k.neutralise()
	t, err := bias.NewTable(k.dim, k.words, k.means())
	if err != nil {
		return nil, Words{}, err
	}
	return t, Words{Language: k.language, Pairs: merged(t, pairs), Professions: k.professions}, nil
}

// merged names English words that have the same vector, since one word
// translates both, by the first of them, so that pairs of them count once.
func merged(t *bias.Table, pairs []Pair) []Pair {
	var first []string
	name := func(word string) string {
		row, ok := t.Find(word)
		if !ok {
			return word
		}
		for _, f := range first {
			if other, _ := t.Find(f); slices.Equal(row, other) {
				return f
			}
		}
		first = append(first, word)
		return word
	}
	pairs = slices.Clone(pairs)
	for i, p := range pairs {
		pairs[i].Female, pairs[i].Male = name(p.Female), name(p.Male)
	}
	return pairs
}

// keyed collects the rows of a file.
type keyed struct {
	language    string
	dim         int
	words       []string
	sums        map[string][]sum // of each word, one for each translation
	professions []Profession
}

// sum adds up the rows of one translation.
type sum struct {
	translation string
	rows        int
	total       []float64
}

// means returns the vectors of the words.
func (k *keyed) means() []float64 {
	rows := make([]float64, len(k.words)*k.dim)
	for i, w := range k.words {
		for _, s := range k.sums[w] {
			for j, v := range s.total {
				rows[i*k.dim+j] += v / float64(s.rows) / float64(len(k.sums[w]))
			}
		}
	}
	return rows
}

// neutralise makes one form of two that have the same vector.
func (k *keyed) neutralise() {
	for i, p := range k.professions {
		f, m := k.form(p.Name, Female), k.form(p.Name, Male)
		same := slices.EqualFunc(k.sums[f], k.sums[m], func(a, b sum) bool { return slices.Equal(a.total, b.total) && a.rows == b.rows })
		if len(k.sums[f]) == 0 || !same {
			continue
		}
		n := k.form(p.Name, Neutral)
		k.words[slices.Index(k.words, f)] = n
		k.words = slices.DeleteFunc(k.words, func(w string) bool { return w == m })
		k.sums[n] = k.sums[f]
		k.professions[i] = Profession{Name: p.Name, Neutral: []string{n}}
	}
}

// form is the name of a row of a profession.
func (k *keyed) form(word string, gender Gender) string { return word + " (" + string(gender) + ")" }

// keyedColumns are where things stand in a row.
type keyedColumns struct {
	word, gender          int
	language, translation int // −1 if it is not there
	translated            bool
	numbers               []int
}

func (k *keyed) read(in io.Reader) error {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	names, err := r.Read()
	if err != nil {
		return errors.New("line 1: it does not name the columns of a CSV file")
	}
	columns, err := columnsOf(names)
	if err != nil {
		return fmt.Errorf("line 1: %w", err)
	}
	k.dim = len(columns.numbers)
	row := make([]float64, k.dim)
	for line := 2; ; line++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("line %d: it is no row of a CSV file with as many columns as the first", line)
		}
		if err := k.add(record, columns, row); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	if len(k.words) == 0 {
		return errors.New("it has no rows with numbers, must have some")
	}
	return nil
}

func columnsOf(names []string) (keyedColumns, error) {
	c := keyedColumns{language: slices.Index(names, "language_code"), translation: slices.Index(names, "translation_id"), translated: slices.Contains(names, "translation")}
	for i, n := range names {
		if digits, ok := strings.CutPrefix(n, "V"); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			c.numbers = append(c.numbers, i)
		}
	}
	c.word, c.gender = slices.Index(names, "word"), slices.Index(names, "gender")
	if c.word < 0 || c.gender < 0 || len(c.numbers) == 0 {
		return c, errors.New("there is no column word, gender or V1, V2, …, must be all three")
	}
	return c, nil
}

// add takes a row, with scratch to parse it into.
func (k *keyed) add(record []string, c keyedColumns, row []float64) error {
	if c.language >= 0 {
		if language := record[c.language]; hostile(language) {
			return errors.New("its language_code has control characters, must not")
		} else if k.language == "" {
			k.language = strings.Clone(language)
		} else if language != k.language {
			return errors.New("its language_code is not that of the rows before, must be")
		}
	}
	gender := Gender(strings.ToLower(record[c.gender]))
	if !readable(record[c.word]) || gender != Female && gender != Male && gender != Neutral {
		return errors.New("its word is blank or has control characters, or its gender is not F, M or N")
	}
	key := k.key(strings.Clone(record[c.word]), gender, !c.translated)
	for i, at := range c.numbers {
		text := record[at]
		if text == "NA" || text == "NaN" {
			return nil
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(math.Abs(v) <= maxNumber) || strings.Trim(text, "0123456789.+-eE") != "" {
			return fmt.Errorf("number %d is not a decimal number from −10¹⁸ to 10¹⁸", i+1)
		}
		row[i] = v
	}
	translation := ""
	if c.translation >= 0 {
		translation = strings.Clone(record[c.translation])
	}
	k.sum(key, translation, row)
	return nil
}

// sum adds a row to those of its translation.
func (k *keyed) sum(key, translation string, row []float64) {
	sums, known := k.sums[key]
	if !known {
		k.words = append(k.words, key)
	}
	i := slices.IndexFunc(sums, func(s sum) bool { return s.translation == translation })
	if i < 0 {
		i = len(sums)
		sums = append(sums, sum{translation: translation, total: make([]float64, k.dim)})
	}
	sums[i].rows++
	floats.Add(sums[i].total, row)
	k.sums[key] = sums
}

// maxNumber keeps sums of rows finite.
const maxNumber = 1e18

// key names the row of a word and a gender, and enters it as a profession if it
// may be one.
func (k *keyed) key(word string, gender Gender, profession bool) string {
	if gender == Neutral {
		return word
	}
	key := k.form(word, gender)
	if !profession {
		return key
	}
	i := slices.IndexFunc(k.professions, func(p Profession) bool { return p.Name == word })
	if i < 0 {
		i = len(k.professions)
		k.professions = append(k.professions, Profession{Name: word})
	}
	forms := &k.professions[i].Female
	if gender == Male {
		forms = &k.professions[i].Male
	}
	if !slices.Contains(*forms, key) {
		*forms = append(*forms, key)
	}
	return key
}
