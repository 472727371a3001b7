package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	weakrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sotto/study/relation"
)

// This part of the package asks a person whether rules explain relations: it samples what a model
// said with a rule beside it, for a person to mark, and counts the marks.
//
//	s, err := SampleSheet(instances, verdicts, SheetOptions{Data: "conll04", Seed: 1})
//	rows := s.Rows() // to a file, and back with the column mark filled in
//	r, err := CountSheet(rows)
//
// A sheet holds sentences of the data: it is as private as they are.

// The marks.
const (
	Explains = "explains" // the rule says why
	Nearly   = "nearly"   // it says a part of why
	Not      = "not"      // it does not
)

// SheetColumns are those of a sheet, in order.
func SheetColumns() []string {
	return []string{"id", "data", "relation", "subject", "object", "sentence", "rule", "source", "mark"}
}

// SheetOptions of [Sample].
type SheetOptions struct {
	Data string // the data set, for the result
	Size int    // most rows; 0 means 176, as the paper has it
	Seed uint64 // of the sample
}

// paperSize is how many explanations were looked at in the paper.
const paperSize = 176

// sheet is a sample.
type sheet struct {
	rows [][]string
	// Explained is of how many relations that were told there is a rule, and Told how many
	// were told.
	Explained, Told int
}

// SampleSheet draws from the verdicts that name a relation and a rule, each as likely as any
// other. The person is not told whether the data agrees.
func SampleSheet(all []relation.Instance, told []relation.Verdict, o SheetOptions) (*sheet, error) {
	if len(all) != len(told) {
		return nil, fmt.Errorf("sheet: there are %d pairs and %d verdicts, must be as many", len(all), len(told))
	}
	if o.Size == 0 {
		o.Size = paperSize
	}
	if o.Size < 1 {
		return nil, fmt.Errorf("sheet: size is %d, must be at least 1", o.Size)
	}
	s := &sheet{}
	var some []int
	for k, v := range told {
		if v.Relation != relation.None {
			s.Told++
			if v.Rule != "" {
				some = append(some, k)
			}
		}
	}
	if s.Explained = len(some); len(some) == 0 {
		return nil, fmt.Errorf("sheet: of %d relations that were told, none has a rule beside it: there is nothing to look at", s.Told)
	}
	rng := weakrand.New(weakrand.NewPCG(o.Seed, 0x7368656574))
	rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	some = some[:min(o.Size, len(some))]
	for _, k := range some {
		x, v := all[k], told[k]
		s.rows = append(s.rows, []string{"", o.Data, v.Relation, words(x, true), words(x, false), sentence(x), v.Rule, string(v.Source), ""})
	}
	whole := digest(s.rows...)
	for k, row := range s.rows {
		row[0] = identity(k, len(s.rows), whole, row)
	}
	return s, nil
}

// Rows returns the rows, without those of the names of columns.
func (s *sheet) Rows() [][]string { return s.rows }

// identity names a row of a sheet.
func identity(k, n int, whole string, row []string) string {
	return fmt.Sprintf("%d/%d-%s-%s", k+1, n, whole, digest(row))
}

// digest is of letters and digits alone, which programs that show tables leave as they are.
func digest(rows ...[]string) string {
	h := sha256.New()
	for _, row := range rows {
		for _, field := range row[1 : len(row)-1] {
			plain := strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					return r
				}
				return -1
			}, field)
			h.Write(fmt.Appendf(nil, "%d %s\n", len(plain), plain))
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// words returns those of the subject or the object.
func words(x relation.Instance, subject bool) string {
	s := x.Object
	if subject {
		s = x.Subject
	}
	return x.Doc.Text[x.Doc.Tokens[s.First].Start:x.Doc.Tokens[s.End-1].End]
}

// sentence returns the sentence with its arguments marked.
func sentence(x relation.Instance) string {
	one, two, names := x.Subject, x.Object, [2]string{"subject", "object"}
	if two.First < one.First {
		one, two, names = two, one, [2]string{"object", "subject"}
	}
	text, t := x.Doc.Text, x.Doc.Tokens
	a, b, c, d := t[one.First].Start, t[one.End-1].End, t[two.First].Start, t[two.End-1].End
	return strings.Join(strings.Fields(fmt.Sprintf("%s[%s: %s]%s[%s: %s]%s", text[:a], names[0], text[a:b], text[b:c], names[1], text[c:d], text[d:])), " ")
}

// parse checks that rows are one whole sheet with a mark in each, and returns them in order.
func parse(rows [][]string) ([][]string, error) {
	if len(rows) == 0 {
		return nil, errors.New("sheet: there is no row, must be those of a sheet")
	}
	ordered := make([][]string, len(rows))
	whole := ""
	var open []string
	for k, row := range rows {
		if len(row) != len(SheetColumns()) {
			return nil, fmt.Errorf("sheet: row %d has %d columns, must have %d", k+1, len(row), len(SheetColumns()))
		}
		place, rest, _ := strings.Cut(row[0], "/")
		n, sheet, _ := strings.Cut(rest, "-")
		sheet, _, _ = strings.Cut(sheet, "-")
		at, err := strconv.Atoi(place)
		size, failed := strconv.Atoi(n)
		switch {
		case err != nil || failed != nil || at < 1 || at > size || identity(at-1, size, sheet, row) != row[0]:
			return nil, fmt.Errorf("sheet: row %d is not as it was drawn, must be: change the column mark alone", k+1)
		case whole != "" && sheet != whole:
			return nil, fmt.Errorf("sheet: row %d is of another sheet than those before, must be of one", k+1)
		case size != len(rows):
			return nil, fmt.Errorf("sheet: there are %d rows of %d, must be all", len(rows), size)
		case ordered[at-1] != nil:
			return nil, fmt.Errorf("sheet: row %d is there twice, must be once", k+1)
		}
		whole, ordered[at-1] = sheet, row
		mark := strings.ToLower(strings.TrimSpace(row[len(row)-1]))
		switch {
		case mark == "":
			open = append(open, strconv.Itoa(k+1))
		case !slices.Contains([]string{Explains, Nearly, Not}, mark):
			return nil, fmt.Errorf("sheet: mark of row %d is another word, must be %s, %s or %s", k+1, Explains, Nearly, Not)
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("sheet: %d of %d rows have no mark, the first in row %s; all must be marked %s, %s or %s", len(open), len(rows), open[0], Explains, Nearly, Not)
	}
	if digest(ordered...) != whole {
		return nil, errors.New("sheet: the rows are not as they were drawn, must be: change the column mark alone")
	}
	return ordered, nil
}
