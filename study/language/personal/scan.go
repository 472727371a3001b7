package personal

import (
	"unicode"
	"unicode/utf8"

	"sotto/study/language"
)

// scanner walks over a text once. What it looks at from any place is limited to
// a few hundred bytes, so that its time is linear.
type scanner struct {
	s     string
	found []Found
	seen  [contexts]int // where the last word that speaks for each context ended
	web   int           // where the last address of the web with a scheme ended
}

// The classes of bytes that the walk tells apart.
const (
	other = iota
	letter
	digit
	sign // one of @ + ( : # that may begin something
)

// classes has the class of each byte. Bytes above 127 count as letters here;
// scanner.word looks closer.
var classes = func() (c [256]byte) {
	for b := range c {
		switch {
		case b >= '0' && b <= '9':
			c[b] = digit
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= utf8.RuneSelf:
			c[b] = letter
		case b == '@', b == '+', b == '(', b == ':':
			c[b] = sign
		}
	}
	return c
}()

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
func isAlpha(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isAlnum(b byte) bool { return isDigit(b) || isAlpha(b) }

// at returns byte i, or 0 beyond the text.
func (sc *scanner) at(i int) byte {
	if i < 0 || i >= len(sc.s) {
		return 0
	}
	return sc.s[i]
}

// wordy reports whether byte i belongs to a word: a letter, a digit, or a part of
// a letter that is not ASCII.
func (sc *scanner) wordy(i int) bool {
	if i < 0 || i >= len(sc.s) {
		return false
	}
	b := sc.s[i]
	if b < utf8.RuneSelf {
		return isAlnum(b)
	}
	for back := 0; back < utf8.UTFMax-1 && i > 0 && !utf8.RuneStart(sc.s[i]); back++ {
		i--
	}
	r, _ := utf8.DecodeRuneInString(sc.s[i:])
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// word returns where the word that begins at i ends: letters, digits and marks.
// It returns i if there is none.
func (sc *scanner) word(i int) int {
	s := sc.s
	for i < len(s) {
		if b := s[i]; b < utf8.RuneSelf {
			if !isAlnum(b) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
			return i
		}
		i += size
	}
	return i
}

// add records a candidate.
func (sc *scanner) add(t language.Type, kind string, start, end int, confidence float64) {
	sc.found = append(sc.found, Found{Type: t, Kind: kind, Start: start, End: end, Confidence: confidence})
}

// prove records a candidate whose checksum is right.
func (sc *scanner) prove(t language.Type, kind string, start, end int, confidence float64) {
	sc.found = append(sc.found, Found{
		Type: t, Kind: kind, Start: start, End: end, Confidence: confidence, Checked: confidence >= likely,
	})
}

// longest is how long a word may be to be looked at as a whole.
const longest = 96

// scan walks over the text.
func (sc *scanner) scan() {
	s := sc.s
	for i := 0; i < len(s); {
		switch classes[s[i]] {
		case letter:
			j := sc.word(i)
			if j == i { // no letter after all
				_, size := utf8.DecodeRuneInString(s[i:])
				i += size
				continue
			}
			sc.letters(i, j)
			i = j
		case digit:
			j := sc.word(i)
			sc.number(i, j)
			i = j
		case sign:
			sc.sign(i)
			i++
		default:
			i++
		}
	}
}

// sign looks at what a sign may begin.
func (sc *scanner) sign(i int) {
	switch sc.s[i] {
	case '@':
		sc.email(i)
		sc.handle(i)
	case '+', '(':
		if !sc.wordy(i - 1) {
			sc.phone(i)
		}
	case ':':
		if sc.at(i+1) == ':' && !sc.wordy(i-1) && sc.at(i-1) != ':' {
			sc.ipv6(i)
		}
	}
}

// letters looks at a word that begins with a letter.
func (sc *scanner) letters(i, j int) {
	if j-i > longest {
		return
	}
	var low [longest]byte
	digits := 0
	for k := i; k < j; k++ {
		b := sc.s[k]
		switch {
		case isUpper(b):
			b |= 0x20
		case isDigit(b):
			digits++
		}
		low[k-i] = b
	}
	word := low[:j-i]
	if digits > 0 {
		sc.mixed(i, j, word)
		return
	}
	sc.context(word, j)
	sc.title(i, j, word)
	sc.webWord(i, j, word)
	sc.dateWord(i, j, word)
	sc.streetWord(i, j, word)
	sc.codeWord(i, j, word)
	if sc.at(j) == ':' && len(word) <= 4 && hexWord(word) {
		sc.ipv6(i)
		sc.mac(i)
	} else if sc.at(j) == '-' && len(word) == 2 && hexWord(word) {
		sc.mac(i)
	}
}

// number looks at a word that begins with a digit.
func (sc *scanner) number(i, j int) {
	if j-i > longest {
		return
	}
	pure := true
	for k := i; k < j && pure; k++ {
		pure = isDigit(sc.s[k])
	}
	if c := sc.at(j); (c == ':' || c == '-') && j-i <= 4 {
		if c == ':' {
			sc.ipv6(i)
		}
		sc.mac(i)
	}
	if !pure {
		var low [longest]byte
		for k := i; k < j; k++ {
			low[k-i] = sc.s[k]
			if isUpper(sc.s[k]) {
				low[k-i] |= 0x20
			}
		}
		sc.mixed(i, j, low[:j-i])
		return
	}
	if c := sc.at(j); c == '.' && isDigit(sc.at(j+1)) {
		sc.ipv4(i)
	}
	if c := sc.at(j); j-i <= 6 && (c == '-' || c == ' ' || c == '.') {
		sc.codes(i)
	}
	sc.run(i)
}
