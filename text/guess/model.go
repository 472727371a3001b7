package guess

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed" // the model
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// model is how likely runs of letters are in each language.
type model struct {
	languages []string
	grams     map[string][]uint8
}

// unit is what -log p is counted in, so that it fits a byte.
const unit = 1.0 / 16

// packed is made by "go test -update" from texts in each language.
//
//go:embed latin.gz
var packed []byte

var builtin = sync.OnceValues(func() (*model, error) { return read(bytes.NewReader(packed)) })

// Train writes a model of texts in some languages, by their codes, with so many runs
// of letters of each.
func Train(to io.Writer, texts map[string][]string, most int) error {
	languages := slices.Sorted(maps.Keys(texts))
	counts := make([]map[string]int, len(languages))
	kept := map[string]bool{}
	totals := make([][5]int, len(languages)) // by length
	for l, language := range languages {
		counts[l] = map[string]int{}
		for _, s := range texts[language] {
			for gram := range grams(s) {
				counts[l][gram]++
				totals[l][utf8.RuneCountInString(gram)]++
			}
		}
		common := slices.SortedFunc(maps.Keys(counts[l]), func(a, b string) int {
			return cmp.Or(cmp.Compare(counts[l][b], counts[l][a]), strings.Compare(a, b))
		})
		for _, gram := range common[:min(most, len(common))] {
			kept[gram] = true
		}
	}
	zip := gzip.NewWriter(to)
	w := bufio.NewWriter(zip)
	fmt.Fprintln(w, strings.Join(languages, "\t"))
	for _, gram := range slices.Sorted(maps.Keys(kept)) {
		fmt.Fprint(w, gram)
		n := utf8.RuneCountInString(gram)
		for l := range languages {
			p := (float64(counts[l][gram]) + 0.5) / (float64(totals[l][n]) + 0.5*float64(len(kept)))
			fmt.Fprintf(w, "\t%d", int(math.Min(255, math.Round(-math.Log(p)/unit))))
		}
		fmt.Fprintln(w)
	}
	return errors.Join(w.Flush(), zip.Close())
}

// read reads what [Train] wrote.
func read(r io.Reader) (*model, error) {
	plain, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("guess: %w", err)
	}
	var m *model
	lines := bufio.NewScanner(plain)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if m == nil {
			m = &model{languages: fields, grams: map[string][]uint8{}}
			continue
		}
		if len(fields) != 1+len(m.languages) {
			return nil, fmt.Errorf("guess: a line has %d columns, must have %d", len(fields), 1+len(m.languages))
		}
		row := make([]uint8, len(m.languages))
		for l, field := range fields[1:] {
			x, err := strconv.ParseUint(field, 10, 8)
			if err != nil {
				return nil, fmt.Errorf("guess: %w", err)
			}
			row[l] = uint8(x)
		}
		m.grams[fields[0]] = row
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("guess: %w", err)
	}
	if m == nil {
		return nil, errors.New("guess: the model is empty")
	}
	return m, nil
}
