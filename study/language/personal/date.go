package personal

import "strings"

// months has the names of months, as they begin or as a whole, in the languages
// in which dates are often met.
var months = func() map[string]int {
	m := map[string]int{}
	for i, names := range strings.Split(`january jan januar janvier enero gennaio janeiro,
february feb februar février febrero febbraio fevereiro,march mar märz mars marzo março,
april apr avril abril aprile,may mai mayo maggio maio,june jun juni juin junio giugno junho,
july jul juli juillet julio luglio julho,august aug août agosto,september sep sept septembre septiembre settembre setembro,
october oct oktober octobre octubre ottobre outubro,november nov novembre noviembre novembro,
december dec dezember décembre diciembre dicembre dezembro`, ",") {
		for _, n := range strings.Fields(names) {
			m[n] = i + 1
		}
	}
	return m
}()

// month reports whether the word from i to j names a month.
func (sc *scanner) month(i, j int) bool {
	if j-i < 3 || j-i > 10 {
		return false
	}
	return months[strings.ToLower(sc.s[i:j])] > 0
}

// birth is the confidence in a date at i, and its kind: words such as "born" make
// it one of birth.
func (sc *scanner) birth(i int, confidence float64) (kind string, c float64) {
	if sc.near(aboutBirth, i, nearby) {
		return "birth", max(confidence, strong)
	}
	return "", confidence
}

// addDate records a date with the time that may follow it.
func (sc *scanner) addDate(start, end int, confidence float64) {
	kind, confidence := sc.birth(start, confidence)
	sc.add(Date, kind, start, sc.clock(end), confidence)
}

// numericDate looks for a date that begins with digits.
func (sc *scanner) numericDate(i int, d *digits) {
	first := d.groups[0]
	size := first.end - first.start
	if size <= 2 && value(d.all[:], size) >= 1 && value(d.all[:], size) <= 31 {
		sc.dayMonth(i, first.end)
	}
	if d.n >= 3 && d.groups[1].sep == d.groups[2].sep && d.groups[1].sep != ' ' && sc.dated(d) {
		return
	}
	year := value(d.all[:], 4)
	if d.n >= 2 && size <= 2 && d.groups[1].sep == '/' && d.groups[1].end-d.groups[1].start == 4 && sc.ends(d.groups[1].end) {
		if y := value(d.all[size:], 4); y >= 1900 && y < 2100 && value(d.all[:], size) <= 12 && value(d.all[:], size) > 0 {
			sc.addDate(i, d.groups[1].end, weak)
		}
		return
	}
	if size == 4 && year >= 1900 && year < 2100 && sc.ends(first.end) && (d.n == 1 || d.groups[1].sep == ' ') &&
		(sc.near(aboutYear, i, 1) || sc.near(aboutBirth, i, 8)) {
		sc.add(Date, "year", i, first.end, weak)
	}
}

// dated looks for a date of three groups of digits and reports whether there is
// one.
func (sc *scanner) dated(d *digits) bool {
	g := d.groups
	var size [3]int
	var v [3]int
	at := 0
	for k := range 3 {
		size[k] = g[k].end - g[k].start
		v[k] = value(d.all[at:], size[k])
		at += size[k]
	}
	if !sc.ends(g[2].end) && sc.at(g[2].end) != 'T' && (d.n <= 3 || g[3].sep != ' ') {
		return false
	}
	monthDay := func(m, day int) bool { return m >= 1 && m <= 12 && day >= 1 && day <= 31 }
	plausible := func(y int) bool { return y >= 1800 && y < 2200 }
	switch {
	case size[0] == 4 && size[1] <= 2 && size[2] <= 2 && plausible(v[0]) && monthDay(v[1], v[2]):
		sc.addDate(g[0].start, g[2].end, strong)
	case size[0] <= 2 && size[1] <= 2 && size[2] == 4 && plausible(v[2]) && (monthDay(v[0], v[1]) || monthDay(v[1], v[0])):
		sc.addDate(g[0].start, g[2].end, strong)
	case size[0] <= 2 && size[1] <= 2 && size[2] == 2 && (monthDay(v[0], v[1]) || monthDay(v[1], v[0])):
		if g[1].sep != '/' && !sc.near(aboutBirth, g[0].start, nearby) && (g[1].sep != '.' || size[0] != 2) {
			return false
		}
		sc.addDate(g[0].start, g[2].end, probable)
	default:
		return false
	}
	return true
}

// dayMonth looks for a month behind a day that stands from i to j: 12 March 1980,
// 12. März, 12th of March, 12-Mar-1980.
func (sc *scanner) dayMonth(i, j int) {
	k := sc.skip(j, ". -/")
	if k == j {
		return
	}
	for _, of := range [...]string{"of ", "de ", "di "} {
		if strings.HasPrefix(sc.s[k:], of) {
			k += len(of)
			break
		}
	}
	m := sc.word(k)
	if !sc.month(k, m) {
		return
	}
	end, year := sc.year(m)
	switch {
	case year:
		sc.addDate(i, end, strong)
	case isUpper(sc.s[k]) || m-k > 3:
		sc.addDate(i, m, likely)
	}
}

// year returns where the year that follows at j ends: of four digits, or of two
// behind an apostrophe.
func (sc *scanner) year(j int) (end int, found bool) {
	k := sc.skip(j, " ,.-/'’")
	for _, of := range [...]string{"of ", "de ", "del "} {
		if strings.HasPrefix(sc.s[k:], of) {
			k += len(of)
			break
		}
	}
	e := k
	for isDigit(sc.at(e)) && e-k < 5 {
		e++
	}
	if y := value([]byte(sc.s[k:e]), 4); k > j && e-k == 4 && y >= 1500 && y < 2200 && !sc.wordy(e) {
		return e, true
	}
	return j, false
}

// dateWord looks for a date that begins with a word: March 12, 1980, or a day of
// the week.
func (sc *scanner) dateWord(i, j int, word []byte) {
	if len(word) < 3 || len(word) > 10 {
		return
	}
	switch string(word) {
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		sc.add(Date, "day of the week", i, j, probable)
		return
	}
	if !isDigit(sc.at(sc.skip(j, " ,.-/'’"))) || months[string(word)] == 0 {
		return
	}
	k := sc.skip(j, ". -")
	e := k
	for isDigit(sc.at(e)) && e-k < 3 {
		e++
	}
	day := value([]byte(sc.s[k:e]), 2)
	if e == k || e-k > 2 || day < 1 || day > 31 {
		if end, found := sc.year(j); found {
			sc.addDate(i, end, likely)
		}
		return
	}
	if w := sc.word(e); w-e == 2 { // 12th
		e = w
	}
	if sc.wordy(e) {
		if end, found := sc.year(j); found {
			sc.addDate(i, end, likely)
		}
		return
	}
	if end, found := sc.year(e); found {
		sc.addDate(i, end, strong)
		return
	}
	if isUpper(sc.s[i]) || len(word) > 3 && string(word) != "march" {
		sc.addDate(i, e, likely)
	}
}

// mixedDate looks for a date that begins with a day such as 12th.
func (sc *scanner) mixedDate(i, j int) {
	if j-i < 3 || j-i > 4 {
		return
	}
	switch strings.ToLower(sc.s[j-2 : j]) {
	case "st", "nd", "rd", "th":
		if v := value([]byte(sc.s[i:j-2]), 2); isDigit(sc.s[i]) && isDigit(sc.s[j-3]) && v >= 1 && v <= 31 {
			sc.dayMonth(i, j)
		}
	}
}

// clock returns where the time of day behind a date that ends at j ends.
func (sc *scanner) clock(j int) int {
	k := j
	switch {
	case sc.at(k) == 'T':
		k++
	case sc.at(k) == ' ':
		k++
	case sc.at(k) == ',' && sc.at(k+1) == ' ':
		k += 2
	default:
		return j
	}
	if strings.HasPrefix(sc.s[k:], "at ") {
		k += 3
	}
	e := sc.digitsTo(k, 2)
	if e == k || sc.at(e) != ':' || !isDigit(sc.at(e+1)) {
		return j
	}
	e = sc.digitsTo(e+1, 2)
	if sc.at(e) == ':' && isDigit(sc.at(e+1)) {
		e = sc.digitsTo(e+1, 2)
	}
	if sc.at(e) == '.' && isDigit(sc.at(e+1)) {
		e = sc.digitsTo(e+1, 9)
	}
	switch z := sc.at(e); {
	case z == 'Z':
		e++
	case (z == '+' || z == '-') && isDigit(sc.at(e+1)):
		e = sc.digitsTo(e+1, 2)
		if sc.at(e) == ':' {
			e++
		}
		e = sc.digitsTo(e, 2)
	default:
		p := sc.skip(e, " ")
		if p+2 <= len(sc.s) && (strings.EqualFold(sc.s[p:p+2], "am") || strings.EqualFold(sc.s[p:p+2], "pm")) && !sc.wordy(p+2) {
			e = p + 2
		}
	}
	if sc.wordy(e) {
		return j
	}
	return e
}

// digitsTo returns where at most so many digits from i on end.
func (sc *scanner) digitsTo(i, most int) int {
	j := i
	for j-i < most && isDigit(sc.at(j)) {
		j++
	}
	return j
}
