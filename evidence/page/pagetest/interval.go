package pagetest

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const number = `(−?-?\+?\d+(?:\.\d+)?)`

var (
	// inline is a value with its interval behind: 0.08 (0.04 to 0.12), 0.7 [0.6, 0.8].
	inline = regexp.MustCompile(number + `(?: ± [\d.]+)?(?: %)?(?: of cases)? [(\[]` + number + `(?: to |, )` + number + `(?: %)?[)\]]`)
	// alone is an interval in a cell of its own.
	alone = regexp.MustCompile(`^` + number + `(?: to |–)` + number + `(?: %)?$`)
	leads = regexp.MustCompile(`^\**` + number)
	// absolute is a path that begins at the root of a disk.
	absolute = regexp.MustCompile(`(?:^|[\s"'(\[=,;>])(?:/(?:tmp|home|root|work|var|Users|usr|data|mnt)(?:/|\b)|[A-Za-z]:[\\/]|\\\\)\S*`)
)

func value(s string) float64 {
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, "−", "-"), 64)
	if err != nil {
		panic(err) // the patterns hold numbers alone
	}
	return v
}

// Intervals fails if a value in the Markdown of a page lies outside of its own
// interval, and returns the number of pairs that it has looked at. A pair is a
// number with an interval in brackets behind it, a cell of a table that is an
// interval, with the last cell before it that begins with a number, and columns
// that are called low and high with the one before them.
func Intervals(t testing.TB, text string) int {
	t.Helper()
	pairs := 0
	hold := func(v, low, high, line string) {
		if pairs++; value(v) < value(low) || value(v) > value(high) {
			t.Errorf("%s lies outside of its interval from %s to %s in %.300q", v, low, high, line)
		}
	}
	low := -1 // the column of that name in the table that is being read
	for line := range strings.Lines(strings.ReplaceAll(text, `\[`, "[")) {
		line = strings.ReplaceAll(line, `\]`, "]")
		for _, m := range inline.FindAllStringSubmatch(line, -1) {
			hold(m[1], m[2], m[3], line)
		}
		if !strings.HasPrefix(line, "| ") {
			low = -1
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		for i, c := range cells {
			c = strings.TrimSpace(c)
			switch {
			case i > 0 && i+1 < len(cells) && strings.HasPrefix(c, "low") && strings.HasPrefix(strings.TrimSpace(cells[i+1]), "high"):
				low = i
			case i == low && leads.MatchString(c) && leads.MatchString(cells[i-1]):
				hold(leads.FindStringSubmatch(cells[i-1])[1], leads.FindStringSubmatch(c)[1], leads.FindStringSubmatch(cells[i+1])[1], line)
			}
			if m := alone.FindStringSubmatch(c); m != nil {
				for k := i - 1; k >= 0; k-- {
					if v := leads.FindStringSubmatch(cells[k]); v != nil {
						hold(v[1], m[1], m[2], line)
						break
					}
				}
			}
		}
	}
	return pairs
}

// Paths fails if a page or text holds an absolute path.
func Paths(t testing.TB, text string) {
	t.Helper()
	if m := absolute.FindString(text); m != "" {
		t.Errorf("the text holds the path %.200q", m)
	}
}
