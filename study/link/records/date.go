package records

import (
	"strings"
	"time"
	"unicode"
)

// A date is a day, as far as a field says so.
type date struct {
	year       int16
	month, day int8
	known      bool
	either     bool // day and month may have been written the other way round
}

// months are how their names begin.
var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// parseDate reads a field that is one date, with or without a time behind it:
// 1984-03-12, 12/3/84, 12 March 1984, March 12, 1984, 19840312.
func parseDate(text string) date {
	if len(text) < 6 || len(text) > 40 || !strings.ContainsFunc(text, unicode.IsDigit) {
		return date{}
	}
	text = strings.TrimSpace(text)
	if day, _, ok := strings.Cut(text, "T"); ok && len(day) == 10 {
		text = day
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && !unicode.IsLetter(r) })
	if len(parts) > 3 && strings.Contains(text, ":") {
		parts = parts[:3] // the time of the day
	}
	if len(parts) == 1 && len(parts[0]) == 8 {
		p := parts[0]
		parts = []string{p[:4], p[4:6], p[6:]}
		if y, ok := whole(parts[0]); !ok || y < 1850 || y > 2099 {
			return date{}
		}
	}
	if len(parts) != 3 {
		return date{}
	}
	var n [3]int
	named := -1
	for k, p := range parts {
		if m := month(p); m > 0 && named < 0 && k < 2 {
			named, n[k] = k, m
			continue
		}
		v, ok := whole(strings.TrimRight(strings.ToLower(p), "sthndr")) // 1st, 2nd, 3rd, 4th
		if !ok {
			return date{}
		}
		n[k] = v
	}
	switch {
	case named == 0: // March 12, 1984
		return newDate(century(n[2], parts[2]), n[0], n[1], false)
	case named == 1 && len(parts[0]) == 4: // 1984 March 12
		return newDate(n[0], n[1], n[2], false)
	case named == 1: // 12 March 1984
		return newDate(century(n[2], parts[2]), n[1], n[0], false)
	case len(parts[0]) == 4: // 1984-03-12
		return newDate(n[0], n[1], n[2], false)
	case n[0] > 12: // 13/3/1984
		return newDate(century(n[2], parts[2]), n[1], n[0], false)
	default: // 3/12/1984, whichever is the month
		return newDate(century(n[2], parts[2]), n[0], n[1], n[1] <= 12 && n[0] != n[1])
	}
}

// newDate returns the date if there is such a day.
func newDate(year, month, day int, either bool) date {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 1000 || year > 2999 || t.Year() != year || int(t.Month()) != month || t.Day() != day {
		return date{}
	}
	return date{year: int16(year), month: int8(month), day: int8(day), known: true, either: either}
}

// century makes a year of two digits one of four: those up to 30 are of this century.
func century(n int, text string) int {
	switch {
	case len(text) != 2:
		return n
	case n <= 30:
		return 2000 + n
	}
	return 1900 + n
}

// whole reads a number of at most four digits.
func whole(text string) (int, bool) {
	if text == "" || len(text) > 4 {
		return 0, false
	}
	n := 0
	for k := range len(text) {
		if text[k] < '0' || text[k] > '9' {
			return 0, false
		}
		n = 10*n + int(text[k]-'0')
	}
	return n, true
}

// month returns the month of a name, or 0.
func month(text string) int {
	if len(text) < 3 {
		return 0
	}
	text = strings.ToLower(text)
	for k, m := range months {
		if strings.HasPrefix(text, m) && strings.HasPrefix(longMonths[k], text) {
			return k + 1
		}
	}
	return 0
}

// longMonths are the names of months, of which any beginning stands for them.
var longMonths = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// dates compares two dates: the same; near, which is a day and a month that changed
// places, one part of three that differs by a digit, or a month between them; or unlike.
func dates(a, b date) (same, near bool) {
	if a == b || a.year == b.year && a.month == b.month && a.day == b.day {
		return true, false
	}
	if a.year == b.year && a.month == b.day && a.day == b.month {
		return a.either != b.either, true // of one of which it is not known which is the month
	}
	apart := a.time().Sub(b.time()).Abs()
	if apart <= 31*24*time.Hour {
		return false, true
	}
	differ := 0
	for _, p := range [][2]int{{int(a.year), int(b.year)}, {int(a.month), int(b.month)}, {int(a.day), int(b.day)}} {
		if p[0] != p[1] {
			differ++
			if !oneDigit(p[0], p[1]) {
				return false, false
			}
		}
	}
	return false, differ == 1
}

func (d date) time() time.Time {
	return time.Date(int(d.year), time.Month(d.month), int(d.day), 0, 0, 0, 0, time.UTC)
}

// oneDigit reports whether two numbers differ in one digit, or in the order of two.
func oneDigit(a, b int) bool {
	differ, sum := 0, 0
	for a > 0 || b > 0 {
		if a%10 != b%10 {
			differ++
			sum += a%10 - b%10
		}
		a, b = a/10, b/10
	}
	return differ == 1 || differ == 2 && sum == 0
}
