package records_test

import (
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"sotto/study/link"
	"sotto/study/link/records"
)

// crowd makes rows of made-up persons, two of each on average, as people write them:
// misspelt, shortened, exchanged, moved and left out.
func crowd(t *testing.T, n int) records.Table {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(7, 7))
	pick := func(list string) string { words := strings.Fields(list); return words[rng.IntN(len(words))] }
	chance := func(p float64) bool { return rng.Float64() < p }
	typo := func(s string) string {
		k := rng.IntN(max(1, len(s)-1))
		return s[:k] + string(rune('a'+rng.IntN(26))) + s[min(len(s), k+rng.IntN(2)):]
	}
	surname := func() string {
		return pick("bar bol car dan del ed fan gar hal hol jan ken lan mar mer nel os pal ros sal stan tor van wal win") + pick("ba de fe go ka le mo ni ra so ta ve") +
			pick("ck ford ham ing ley mann ner rson sen smith ston ter well wood worth")
	}
	rows, err := records.NewRows()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rows.Close)
	table := records.Table{Columns: []string{"first", "last", "born", "street", "phone"}, Places: []int{0, 1, 2, 3, 4}, Stored: rows}
	for who := 0; rows.Len() < n; who++ {
		first, last := pick("robert william elizabeth margaret edward catherine thomas richard james susan anthony daniel"), surname()
		year, month, day := 1930+rng.IntN(75), 1+rng.IntN(12), 1+rng.IntN(28)
		street, phone := fmt.Sprintf("%d %s %s", 1+rng.IntN(2000), surname(), pick("street avenue road lane")), strconv.Itoa(2000000000+rng.IntN(7000000000))
		for k := range 1 + rng.IntN(3) {
			f, l, s, p := first, last, street, phone
			if chance(.25) {
				for _, short := range []string{"bob", "bill", "liz", "maggie", "ted", "kate", "tom", "dick", "jim", "sue", "tony", "dan"} {
					if link.Nicknames(first, short) {
						f = short
					}
				}
			}
			if k > 0 && chance(.15) {
				l = typo(l)
			}
			if k > 0 && chance(.1) {
				s = ""
			}
			if chance(.05) {
				f, l = l, f
			}
			if chance(.25) {
				p = ""
			}
			born := fmt.Sprintf("%d-%02d-%02d", year, month, day)
			if chance(.3) {
				born = fmt.Sprintf("%d/%d/%d", month, day, year)
			}
			if err := rows.Add([]string{f, l, born, s, p}); err != nil {
				t.Fatal(err)
			}
			table.Entity = append(table.Entity, strconv.Itoa(who))
		}
	}
	if err := rows.Flush(); err != nil {
		t.Fatal(err)
	}
	return table
}

// Rows of a crowd are found from disk, tile by tile. SOTTO_ROWS=1000000 makes it a
// million, which takes minutes.
func TestCrowd(t *testing.T) {
	n := 40_000 // two chunks
	if rows, err := strconv.Atoi(os.Getenv("SOTTO_ROWS")); err == nil {
		n = rows
	} else if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("compares 800,000 pairs; set SOTTO_LONG=1, or SOTTO_ROWS=1000000")
	}
	table := crowd(t, n)
	r, err := records.Link(t.Context(), table, records.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rows, %d pairs, %+v, held %+v, calibration error %.4f", table.Len(), r.Pairs, r.Blocks, *r.Held, r.Calibration.Error)
	if r.Held.F1 < .95 || r.Calibration.Error > .01 {
		t.Errorf("F1 is %.4f and the calibration error %.4f, want at least .95 and at most .01", r.Held.F1, r.Calibration.Error)
	}
}
