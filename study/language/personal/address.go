package personal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// streetEnds are words that end the name of a street where its number stands
// first, as in 12 Baker Street.
var streetEnds = set(`street st avenue ave av road rd lane ln drive dr boulevard blvd way court ct place pl square sq
terrace ter highway hwy parkway pkwy crescent cres close circle cir trail trl alley row walk mews gardens grove hill
plaza loop turnpike tpke quay wharf str`)

// plainStreets are those by which a street is known even in small letters, and
// notInStreets words that no street has before them.
var (
	plainStreets = set("street avenue road lane drive boulevard")
	notInStreets = set(`the a an to of in on at my your his her our their this that these those and or for from with by is are was be
i you he she we they it its later down up off out into over then when years months weeks days hours minutes people cents dollars
search cross side main-road dirt back`)
)

// streetBegins are words that begin the name of a street, as in Rue de Rivoli 12.
var streetBegins = set(`rue avenue boulevard bd chemin allée quai impasse cours via viale piazza corso largo vicolo strada
calle c avenida avda paseo plaza carrera camino rua travessa praça alameda ulica ul aleja al plac os osiedle ulitsa
prospekt jalan cesta trg ulice náměstí utca straße strasse weg platz am`)

// streetParts end names of streets that are one word, as in Hauptstraße 12.
var streetParts = []string{
	"straße", "strasse", "str", "gasse", "platz", "allee", "weg", "ufer", "damm", "straat", "laan", "plein", "gracht", "kade",
	"dijk", "gatan", "vägen", "gata", "vegen", "veien", "vej", "gade", "allé", "stræde", "katu", "tie", "kuja", "polku",
	"utca", "gate", "stien", "braut", "stígur", "steenweg",
}

// unitWords begin the second line of an address, as in Apt. 4.
var unitWords = set("apt apartment suite ste unit flat floor fl room rm building bldg appt wohnung top piso # no")

// states are the postal abbreviations of the United States and of Canada.
var states = set(`AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH
OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC AA AE AP ON QC BC AB MB SK NS NB NL PE YT NT NU`)

// mostWords is how many words the name of a street or of a town may have.
const mostWords = 5

// space returns where a word begins behind the space at i, and whether there is
// such a space: one, or a line break with what indents the next line.
func (sc *scanner) space(i int) (next int, ok bool) {
	k := i
	for k < len(sc.s) && k-i < 12 && (sc.s[k] == ' ' || sc.s[k] == '\n' || sc.s[k] == '\t' || sc.s[k] == '\r') {
		k++
	}
	return k, k > i
}

// part returns the word that begins at i with the stop of an abbreviation or what
// a hyphen or an apostrophe joins to it.
func (sc *scanner) part(i int) (end int) {
	for end = i; end-i < longest; {
		j := sc.word(end)
		if j == end {
			return end
		}
		end = j
		if c := sc.at(end); (c == '-' || c == '\'') && sc.wordy(end+1) {
			end++
			continue
		}
		return end
	}
	return end
}

// capital reports whether a capital letter stands at i.
func (sc *scanner) capital(i int) bool {
	if i >= len(sc.s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(sc.s[i:])
	return unicode.IsUpper(r)
}

// street looks for an address whose number comes first, at i.
func (sc *scanner) street(i int, d *digits) {
	if g := d.groups[0]; g.end-g.start <= 6 {
		sc.streetFrom(i, g.end)
	}
}

// mixedStreet is street for a number with a letter, such as 12b.
func (sc *scanner) mixedStreet(i, j int, word []byte) {
	if isDigit(word[0]) && !isDigit(word[len(word)-1]) && j-i <= 6 {
		sc.streetFrom(i, j)
	}
	sc.streetWord(i, j, word)
}

// streetFrom looks for the name of a street behind a house number that stands
// from i to j.
func (sc *scanner) streetFrom(i, j int) {
	k, small := j, 0
	if sc.at(k) == ',' {
		k++
	}
	if sc.at(k) != ' ' {
		return
	}
	k++
	for n := range mostWords {
		e := sc.part(k)
		if e == k || e-k > 32 {
			return
		}
		low := strings.ToLower(sc.s[k:e])
		switch {
		case n > 0 && streetEnds[low]:
			if small > 2 || small > 0 && !plainStreets[low] {
				return
			}
			confidence := strong
			if small > 0 || !sc.capital(k) {
				confidence = probable
			}
			if sc.at(e) == '.' {
				e++
			}
			sc.add(Address, "", i, sc.tail(e), confidence)
			return
		case n == 0 && streetBegins[low] && low != "c" && low != "am" && low != "al":
			if e = sc.streetName(e); e > 0 {
				sc.add(Address, "", i, sc.tail(e), likely)
			}
			return
		case !sc.capital(k) && !isDigit(sc.s[k]):
			if small++; notInStreets[low] {
				return
			}
		}
		if sc.at(e) == '.' && e-k <= 3 {
			e++
		}
		if sc.at(e) != ' ' {
			return
		}
		k = e + 1
	}
}

// streetName returns where the name of a street that goes on at i ends: capital
// words and small words between them; 0 if there is no name.
func (sc *scanner) streetName(i int) int {
	end := 0
	for range mostWords {
		if sc.at(i) == '.' || sc.at(i) == '/' {
			i++
		}
		if sc.at(i) == ' ' {
			i++
		}
		e := sc.part(i)
		if e == i || e-i > 32 {
			return end
		}
		if sc.capital(i) {
			end = e
		} else if e-i > 5 {
			return end
		}
		i = e
	}
	return end
}

// houseNumber returns where the house number that follows at i ends, or i.
func (sc *scanner) houseNumber(i int) int {
	k := i
	if sc.at(k) == ',' {
		k++
	}
	if sc.at(k) == ' ' {
		k++
	}
	e := sc.digitsTo(k, 5)
	if e == k || k == i {
		return i
	}
	if isAlpha(sc.at(e)) && !sc.wordy(e+1) {
		e++
	} else if (sc.at(e) == '-' || sc.at(e) == '/') && isDigit(sc.at(e+1)) {
		e = sc.digitsTo(e+1, 4)
	}
	if sc.wordy(e) {
		return i
	}
	return e
}

// streetWord looks for an address that begins with the word from i to j.
func (sc *scanner) streetWord(i, j int, word []byte) {
	if len(word) > 40 {
		return
	}
	if (len(word) == 1 && word[0] == 'p' || string(word) == "po" || string(word) == "psc" || string(word) == "post" || string(word) == "unit") && sc.box(i) {
		return
	}
	if len(word) <= 10 && streetBegins[string(word)] {
		if name := sc.streetName(j); name > 0 {
			if e := sc.houseNumber(name); e > name {
				sc.add(Address, "", i, sc.tail(e), likely)
			}
		}
		return
	}
	if c := sc.at(j); !isDigit(sc.at(j+1)) && c != '.' {
		return // no house number follows
	}
	for _, part := range streetParts {
		if len(word) > len(part)+2 && strings.HasSuffix(string(word), part) {
			k := j
			if sc.at(k) == '.' {
				k++
			}
			if e := sc.houseNumber(k); e > k {
				sc.add(Address, "", i, sc.tail(e), likely)
			}
			return
		}
	}
}

// box looks for a post box at i, and for the units of armed forces that have one.
func (sc *scanner) box(i int) bool {
	end := min(len(sc.s), i+14)
	rest := strings.ToLower(sc.s[i:end])
	for _, form := range [...]string{"p.o. box ", "po box ", "p.o box ", "p. o. box ", "post box ", "psc ", "unit "} {
		if !strings.HasPrefix(rest, form) {
			continue
		}
		e := sc.digitsTo(i+len(form), 6)
		if e == i+len(form) || sc.wordy(e) {
			return false
		}
		if form == "psc " || form == "unit " {
			k := sc.skip(e, ", ")
			if k+4 >= len(sc.s) || !strings.EqualFold(sc.s[k:k+4], "box ") {
				return false
			}
			e = sc.digitsTo(k+4, 6)
		}
		sc.add(Address, "post box", i, sc.tail(e), strong)
		return true
	}
	return false
}

// tail returns where an address goes on to that has a street up to i: a flat, a
// town with its post code, a state. It takes nothing that no number anchors.
func (sc *scanner) tail(i int) int {
	end := i
	for range 3 {
		k := sc.skip(end, ",")
		k, ok := sc.space(k)
		if !ok {
			return end
		}
		if e := sc.unit(k); e > k {
			end = e
			continue
		}
		if e := sc.town(k); e > k {
			return e
		}
		return end
	}
	return end
}

// unit returns where a flat or the like that begins at k ends, or k.
func (sc *scanner) unit(k int) int {
	e := sc.part(k)
	if sc.at(k) == '#' {
		e = k + 1
	}
	if e == k || !unitWords[strings.ToLower(sc.s[k:e])] {
		return k
	}
	if sc.at(e) == '.' {
		e++
	}
	if sc.at(e) == ' ' {
		e++
	}
	w := sc.word(e)
	if w == e || w-e > 6 || !isDigit(sc.s[e]) && w-e > 2 {
		return k
	}
	return w
}

// town returns where a town with a post code or a state that begins at k ends, or
// k: Springfield, IL 62704; 10115 Berlin; London SW1A 1AA.
func (sc *scanner) town(k int) int {
	if e := sc.code5(k); e > k { // the code first
		w, ok := sc.space(e)
		if n := sc.part(w); ok && n > w && sc.capital(w) && w-e == 1 {
			return n
		}
		return e
	}
	at := k
	for range mostWords {
		e := sc.part(at)
		if e == at || e-at > 32 || !sc.capital(at) {
			return k
		}
		if states[sc.s[at:e]] {
			if w, ok := sc.space(e); ok {
				if z := sc.code5(w); z > w {
					return z
				}
			}
			return e
		}
		next := sc.skip(e, ",")
		w, ok := sc.space(next)
		if !ok {
			return k
		}
		if z := sc.code5(w); z > w {
			return z
		}
		at = w
	}
	return k
}

// code5 returns where a post code that begins at k ends, or k.
func (sc *scanner) code5(k int) int {
	if e := sc.digitsTo(k, 7); e > k {
		switch size := e - k; {
		case sc.wordy(e):
			return k
		case size == 5 && sc.at(e) == '-' && sc.digitsTo(e+1, 4) == e+5:
			return e + 5
		case size >= 4 && size <= 6:
			if size == 4 && sc.at(e) == ' ' && isUpper(sc.at(e+1)) && isUpper(sc.at(e+2)) && !sc.wordy(e+3) {
				return e + 3 // Netherlands
			}
			return e
		}
		return k
	}
	for size := 8; size >= 6; size-- {
		if k+size <= len(sc.s) && isUpper(sc.s[k]) && !sc.wordy(k+size) {
			switch shapeOf(strings.Replace(sc.s[k:k+size], " ", "", 1)) {
			case "A00AA", "A000AA", "AA00AA", "AA000AA", "A0A0AA", "AA0A0AA", "A0A0A0":
				return k + size
			}
		}
	}
	return k
}

// postcode looks for a post code by a word before it or by a state's letters.
func (sc *scanner) postcode(i int, d *digits) {
	e := sc.code5(i)
	if e == i || !sc.ends(e) {
		return
	}
	if d.n > 1 && sc.s[i:e] == sc.s[d.groups[0].start:d.groups[0].end] && d.groups[0].end-i == 3 {
		return
	}
	switch {
	case sc.near(aboutPostcode, i, 16):
		sc.add(Postcode, "", i, e, likely)
	case e-i >= 5 && i >= 3 && sc.s[i-1] == ' ' && states[sc.s[i-3:i-1]] && !sc.wordy(i-4):
		sc.add(Postcode, "US", i, e, probable)
	}
}
