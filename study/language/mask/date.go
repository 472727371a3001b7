package mask

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Dates as they are written: with the year before, with it behind, and with the
// month as a word. Groups are named after what they hold.
var dates = []*regexp.Regexp{
	regexp.MustCompile(`(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})`),
	regexp.MustCompile(`(?P<d>\d{1,2})[-/.] ?(?P<m>\d{1,2})[-/.] ?(?P<y>\d{4}|\d{2})`),
	regexp.MustCompile(`(?P<d>\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -](?P<name>\pL{3,9})\.?,?[ -](?P<y>\d{4})`),
	regexp.MustCompile(`(?P<name>\pL{3,9})\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})`),
}

// date moves a date of a text: all of them by as many days under a secret, so that
// what is between them stays; without one each to a day that does not depend on it,
// as whoever knows how far could move it back.
func date(surface string, d *draw) string {
	for _, form := range dates {
		at := form.FindStringSubmatchIndex(surface)
		if at == nil {
			continue
		}
		f := fields{surface: surface, at: at, form: form}
		if day, ok := f.day(); ok {
			return f.write(d.moved(day))
		}
	}
	return shapedDate(surface, d)
}

// moved returns another day.
func (d *draw) moved(day time.Time) time.Time {
	if d.shift != 0 {
		return day.AddDate(0, 0, d.shift)
	}
	return time.Date(1950+d.below(70), time.January, 1+d.below(365), 0, 0, 0, 0, time.UTC)
}

// shapedDate draws the parts of a date that is not understood: months by name, and
// digits as they come.
func shapedDate(surface string, d *draw) string {
	words := strings.FieldsFunc(surface, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range words {
		if month(word) != 0 {
			other := time.Month(1 + d.below(12)).String()
			surface = strings.Replace(surface, word, spelt(word, other), 1)
		}
	}
	var b strings.Builder
	for _, r := range surface {
		if unicode.IsDigit(r) {
			b.WriteByte(byte('1' + d.below(2))) // a day and a month in any place
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fields are the parts of a date within a surface.
type fields struct {
	surface string
	at      []int
	form    *regexp.Regexp
	swapped bool // the month stands before the day
}

// part returns where a part stands, or nothing.
func (f *fields) part(name string) (from, to int) {
	i := f.form.SubexpIndex(name)
	if i < 0 {
		return -1, -1
	}
	return f.at[2*i], f.at[2*i+1]
}

func (f *fields) text(name string) string {
	from, to := f.part(name)
	if from < 0 {
		return ""
	}
	return f.surface[from:to]
}

// day returns the date, and whether there is such a day. Where the day could be the
// month it is, unless only the other way round makes a date.
func (f *fields) day() (time.Time, bool) {
	y, _ := strconv.Atoi(f.text("y"))
	d, _ := strconv.Atoi(f.text("d"))
	m, _ := strconv.Atoi(f.text("m"))
	if name := f.text("name"); name != "" {
		m = month(name)
	}
	if len(f.text("y")) == 2 {
		if y += 1900; y < 1930 {
			y += 100
		}
	}
	if m > 12 && f.text("name") == "" {
		d, m, f.swapped = m, d, true
	}
	day := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return day, m >= 1 && d >= 1 && day.Day() == d && int(day.Month()) == m
}

// write returns the surface with another day in it.
func (f *fields) write(day time.Time) string {
	d, m := day.Day(), int(day.Month())
	if f.swapped {
		d, m = m, d
	}
	s := f.surface
	put := func(name, as string) {
		if from, to := f.part(name); from >= 0 {
			s = s[:from] + as + s[to:]
		}
	}
	// From the last part to the first, so that places stay what they are.
	order := []string{"y", "m", "name", "d"}
	for range order {
		last, at := "", -1
		for _, name := range order {
			if from, _ := f.part(name); from > at {
				last, at = name, from
			}
		}
		switch last {
		case "y":
			year := strconv.Itoa(day.Year())
			put("y", year[max(0, len(year)-len(f.text("y"))):])
		case "m":
			put("m", padded(m, len(f.text("m"))))
		case "d":
			put("d", padded(d, len(f.text("d"))))
		case "name":
			put("name", spelt(f.text("name"), day.Month().String()))
		default:
			return s
		}
		i := f.form.SubexpIndex(last)
		f.at[2*i], f.at[2*i+1] = -1, -1
	}
	return s
}

func padded(n, width int) string {
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// month returns the number of a month by its name or the beginning of it, 0 for
// none.
func month(word string) int {
	word = strings.ToLower(word)
	if len(word) < 3 {
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		if strings.HasPrefix(strings.ToLower(m.String()), word) || word == "sept" && m == time.September {
			return int(m)
		}
	}
	return 0
}

// spelt writes a month as short, and in the case, as another is written.
func spelt(word, name string) string {
	if utf8.RuneCountInString(word) <= 4 {
		name = name[:3]
	}
	switch {
	case strings.ToUpper(word) == word:
		return strings.ToUpper(name)
	case strings.ToLower(word) == word:
		return strings.ToLower(name)
	}
	return name
}
