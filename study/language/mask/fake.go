package mask

import (
	"strconv"
	"strings"
	"unicode"

	"sotto/study/language"
	"sotto/study/language/personal"
)

// fakes make something that looks like a surface, by its type. Where there are
// ranges that are kept for examples, such as example.com, it is of one of them.
// Whatever has another type keeps its shape alone.
var fakes = map[language.Type]func(surface string, d *draw) string{
	language.Email: func(_ string, d *draw) string {
		return strings.ToLower(d.of(first)+"."+d.surname()) + "@example." + d.of(reserved)
	},
	language.Username: username,
	language.URL:      url,
	language.IP:       address,
	language.Phone:    phone,
	language.Card:     card,
	language.IBAN:     iban,
	language.SSN:      ssn,
	language.Date:     date,
	language.Address:  street,
	"mac":             hardware,
	"age":             age,
	"title":           title,
	"crypto":          func(surface string, d *draw) string { return shaped(surface, coin(surface), d) },
}

// fake returns something that looks like what was found and is of the same type. It
// panics for no surface, however strange.
func fake(t language.Type, surface string, d *draw) string {
	if of, ok := fakes[t]; ok {
		return of(surface, d)
	}
	return shaped(surface, 0, d)
}

// street returns an address, with a town where there may be one.
func street(surface string, d *draw) string {
	if strings.ContainsAny(surface, ",\n") {
		return d.street() + ", " + d.of(root) + d.of(town)
	}
	return d.street()
}

// reserved are the endings of domains that are nobody's (RFC 2606).
var reserved = []string{"com", "net", "org"}

// shaped puts a digit in the place of each digit, and a letter of the same case in
// that of each letter, from some byte on.
func shaped(surface string, from int, d *draw) string {
	var b strings.Builder
	for i, r := range surface {
		switch {
		case i < from:
			b.WriteRune(r)
		case unicode.IsDigit(r):
			b.WriteByte(d.digit())
		case unicode.IsUpper(r):
			b.WriteByte(d.letter() - 'a' + 'A')
		case unicode.IsLetter(r):
			b.WriteByte(d.letter())
		case r == unicode.ReplacementChar:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// username keeps the sign before it.
func username(surface string, d *draw) string {
	at := ""
	if strings.HasPrefix(surface, "@") {
		at = "@"
	}
	return at + strings.ToLower(d.of(first)+d.of(root)) + string([]byte{d.digit(), d.digit()})
}

// url keeps the scheme.
func url(surface string, d *draw) string {
	scheme, _, ok := strings.Cut(surface, "://")
	if !ok || len(scheme) > 8 || strings.ContainsFunc(scheme, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }) {
		return "www.example." + d.of(reserved)
	}
	return scheme + "://example." + d.of(reserved) + "/" + strings.ToLower(d.of(root)+d.of(town))
}

// address returns one of the addresses that are kept for documents, of version 4
// (RFC 5737) or 6 (RFC 3849).
func address(surface string, d *draw) string {
	if strings.Contains(surface, ":") {
		return "2001:db8::" + strconv.FormatUint(uint64(1+d.below(0xfffe)), 16) + ":" + strconv.FormatUint(uint64(1+d.below(0xfffe)), 16)
	}
	return d.of([]string{"192.0.2.", "198.51.100.", "203.0.113."}) + strconv.Itoa(1+d.below(254))
}

// hardware returns an address of a network card of the kind that no maker gives
// out, which begins with 02.
func hardware(surface string, d *draw) string {
	var b strings.Builder
	at := 0
	for _, r := range surface {
		if !unicode.Is(unicode.ASCII_Hex_Digit, r) {
			b.WriteRune(r)
			continue
		}
		c := "0123456789abcdef"[d.below(16)]
		if at < 2 {
			c = "02"[at]
		}
		b.WriteByte(c)
		at++
	}
	return b.String()
}

// age puts another age in the place of the first number.
func age(surface string, d *draw) string {
	from := strings.IndexFunc(surface, isDigit)
	if from < 0 {
		return shaped(surface, 0, d)
	}
	rest := strings.TrimLeftFunc(surface[from:], isDigit)
	return surface[:from] + strconv.Itoa(20+d.below(60)) + rest
}

// title returns one that tells neither sex nor rank.
func title(surface string, _ *draw) string {
	if strings.HasSuffix(surface, ".") {
		return "Mx."
	}
	return "Mx"
}

// coin returns how many bytes say of which currency an address is.
func coin(surface string) int {
	for _, begin := range []string{"bc1", "ltc1", "0x", "1", "3"} {
		if strings.HasPrefix(surface, begin) {
			return len(begin)
		}
	}
	return 0
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// numbered puts digits in the place of those of a surface, in order, and keeps
// everything else.
func numbered(surface string, digits []byte) string {
	var b strings.Builder
	for _, r := range surface {
		if isDigit(r) && len(digits) > 0 {
			b.WriteByte(digits[0])
			digits = digits[1:]
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// digitsOf returns the digits of a surface.
func digitsOf(surface string) []byte {
	var digits []byte
	for _, r := range surface {
		if isDigit(r) {
			digits = append(digits, byte(r))
		}
	}
	return digits
}

// phone keeps shape and country: the code behind + or 00, or the zero of a number
// within a country. A number of North America is one of those kept for films,
// 555-01xx; of other countries it may be somebody's.
func phone(surface string, d *draw) string {
	digits := digitsOf(surface)
	keep, code := 0, ""
	switch begins := strings.TrimLeft(surface, "( "); {
	case strings.HasPrefix(begins, "+"):
		keep = countryCode(digits)
		code = string(digits[:keep])
	case strings.HasPrefix(string(digits), "00"):
		keep = 2 + countryCode(digits[2:])
		code = string(digits[2:keep])
	case len(digits) == 11 && digits[0] == '1':
		keep, code = 1, "1"
	case len(digits) == 10 && digits[0] > '1':
		code = "1"
	case len(digits) > 0 && digits[0] == '0':
		keep = 1
	}
	for i := keep; i < len(digits); i++ {
		digits[i] = d.digit()
	}
	if keep < len(digits) {
		digits[keep] = byte('2' + d.below(8))
	}
	if rest := digits[keep:]; code == "1" && len(rest) >= 10 {
		copy(rest[3:], "55501")
	}
	return numbered(surface, digits)
}

// countryCode returns how many digits the code of a country has that a number
// begins with, as the ITU gives them.
func countryCode(digits []byte) int {
	const two = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"
	n := 3
	switch {
	case len(digits) == 0:
		return 0
	case digits[0] == '1' || digits[0] == '7':
		n = 1
	case len(digits) >= 2 && strings.Contains(two, string(digits[:2])):
		n = 2
	}
	return min(n, len(digits))
}

// card returns a number of a range that is kept for tests, with a right check
// digit.
func card(surface string, d *draw) string {
	digits := digitsOf(surface)
	if len(digits) < 8 {
		return shaped(surface, 0, d)
	}
	begin := "400000"
	if len(digits) == 15 {
		begin = "378282"
	}
	for i := copy(digits, begin); i < len(digits); i++ {
		digits[i] = d.digit()
	}
	digits[len(digits)-1] = personal.CheckDigit(digits[:len(digits)-1])
	return numbered(surface, digits)
}

// ssn returns a number of area 666, which nobody has, and for what is no number of
// nine digits one of the same shape.
func ssn(surface string, d *draw) string {
	digits := digitsOf(surface)
	if len(digits) != 9 {
		return shaped(surface, 0, d)
	}
	for i := copy(digits, "666"); i < len(digits); i++ {
		digits[i] = byte('1' + d.below(9))
	}
	return numbered(surface, digits)
}

// iban keeps the country and has right check digits. Its bank, the four characters
// behind them, is one of zeros and of X, which there is not.
func iban(surface string, d *draw) string {
	var plain []byte
	for _, r := range surface {
		if r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			plain = append(plain, byte(unicode.ToUpper(r)))
		}
	}
	if len(plain) < 8 {
		return shaped(surface, 0, d)
	}
	for i := 4; i < len(plain); i++ {
		number := isDigit(rune(plain[i]))
		switch {
		case i < 8 && number:
			plain[i] = '0'
		case i < 8:
			plain[i] = 'X'
		case number:
			plain[i] = d.digit()
		default:
			plain[i] = d.letter() - 'a' + 'A'
		}
	}
	check := 98 - mod97(string(plain[4:])+string(plain[:2])+"00")
	plain[2], plain[3] = byte('0'+check/10), byte('0'+check%10)
	var b strings.Builder
	for _, r := range surface {
		switch {
		case r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			c := rune(plain[0])
			plain = plain[1:]
			if unicode.IsLower(r) {
				c = unicode.ToLower(c)
			}
			b.WriteRune(c)
		case r == unicode.ReplacementChar:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mod97 is the remainder of a number in which letters count from 10 (ISO 7064).
func mod97(s string) int {
	rest := 0
	for _, c := range []byte(s) {
		if c >= 'A' && c <= 'Z' {
			rest = (rest*100 + int(c-'A') + 10) % 97
			continue
		}
		rest = (rest*10 + int(c-'0')) % 97
	}
	return rest
}
