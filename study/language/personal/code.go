package personal

import "strings"

// mixed looks at a word of letters and digits, which is given in small letters.
func (sc *scanner) mixed(i, j int, word []byte) {
	sc.iban(i, word)
	if sc.inWord(i) && sc.s[i-1] != '/' {
		return
	}
	whole := !sc.wordy(j) && sc.at(j) != '_'
	if whole {
		sc.crypto(i, j)
		sc.lettered(i, j)
		sc.declaredCode(i, j)
	}
	if c := sc.at(j); isAlpha(sc.s[i]) && (c == '.' || c == '-') && sc.wordy(j+1) {
		sc.domain(i)
	}
	sc.codes(i)
	sc.mixedDate(i, j)
	sc.mixedStreet(i, j, word)
	if c := sc.at(j); c == ':' && j-i <= 4 && hexWord(word) {
		sc.ipv6(i)
	}
	if c := sc.at(j); (c == ':' || c == '-') && j-i == 2 && hexWord(word) {
		sc.mac(i)
	}
}

// codeWord looks at a word of letters that may begin a code in groups.
func (sc *scanner) codeWord(i, j int, word []byte) {
	if len(word) <= 4 && (isUpper(sc.s[i]) || isDigit(sc.at(j+1))) {
		sc.codes(i)
	}
	if len(word) > 24 && len(word) < longest {
		sc.crypto(i, j)
	}
}

// ibanLengths has the length of an account number by country.
var ibanLengths = func() map[string]int {
	m := map[string]int{}
	for _, e := range strings.Fields(`ad24 ae23 al28 at20 az28 ba20 be16 bg22 bh22 bi27 br29 by28 ch21 cr22 cy28 cz24
de22 dj27 dk18 do28 ee20 eg29 es24 fi18 fk18 fo18 fr27 gb22 ge22 gi23 gl18 gr27 gt28 hr21 hu28 ie22 il23 iq23 is26
it27 jo30 kw30 kz20 lb28 lc32 li21 lt20 lu20 lv21 ly25 mc27 md24 me22 mk19 mn20 mr27 mt31 mu30 ni28 nl18 no15 om23
pk24 pl28 ps29 pt25 qa29 ro24 rs22 ru33 sa24 sc31 sd18 se24 si19 sk24 sm27 so23 st25 sv28 tl23 tn24 tr26 ua29 va22
vg24 xk20 ye30`) {
		m[e[:2]] = value([]byte(e[2:]), 2)
	}
	return m
}()

// iban looks for an international bank account number at i: two letters of a
// country, two check digits, and as many characters as the country has, in
// groups or not.
func (sc *scanner) iban(i int, word []byte) {
	if len(word) < 4 || !isAlpha(word[0]) || !isAlpha(word[1]) || !isDigit(word[2]) || !isDigit(word[3]) {
		return
	}
	want := ibanLengths[string(word[:2])]
	if want == 0 {
		return
	}
	n, k := 0, i
	for ; k < len(sc.s) && n < want; k++ {
		b := sc.s[k]
		if (b == ' ' || b == '-') && k > i && isAlnum(sc.at(k+1)) && isAlnum(sc.s[k-1]) {
			continue
		}
		if !isAlnum(b) {
			return
		}
		n++
	}
	if n != want || sc.wordy(k) {
		return
	}
	if ibanRest(sc.s[i:k]) == 1 {
		sc.prove(IBAN, strings.ToUpper(string(word[:2])), i, k, certain)
	} else if sc.near(aboutAccount, i, nearby) {
		sc.add(IBAN, strings.ToUpper(string(word[:2])), i, k, probable)
	}
}

// ibanRest is the rest by 97 of an account number whose first four characters
// have been moved to its end.
func ibanRest(s string) int {
	rest := 0
	take := func(b byte) {
		if isDigit(b) {
			rest = (rest*10 + int(b-'0')) % 97
		} else if isAlpha(b) {
			rest = (rest*100 + int(b|0x20-'a') + 10) % 97
		}
	}
	for k := 4; k < len(s); k++ {
		take(s[k])
	}
	for k := range 4 {
		take(s[k])
	}
	return rest
}

// lettered looks for numbers of countries that have letters, written as one word.
func (sc *scanner) lettered(i, j int) {
	w := strings.ToUpper(sc.s[i:j])
	shape := shapeOf(w)
	switch {
	case shape == "AA000000A" && ninoPrefix(w):
		sc.add(NationalID, "GB national insurance", i, j, likely)
	case shape == "00000000A" && dniLetter(w[:8]) == w[8]:
		sc.prove(NationalID, "ES dni", i, j, strong)
	case shape == "A0000000A" && strings.IndexByte("XYZ", w[0]) >= 0 &&
		dniLetter(string('0'+w[0]-'X')+w[1:8]) == w[8]:
		sc.prove(NationalID, "ES nie", i, j, strong)
	case len(w) == 16 && codiceFiscale(w):
		sc.prove(NationalID, "IT codice fiscale", i, j, certain)
	case len(w) == 18 && cnNumber(w):
		sc.prove(NationalID, "CN resident number", i, j, certain)
	case shape == "AAAAA0000A" && strings.IndexByte("ABCFGHLJPT", w[3]) >= 0:
		sc.add(NationalID, "IN pan", i, j, likely)
	case (shape == "0000000A" || shape == "0000000AA") && ppsLetter(w) == w[7]:
		sc.prove(NationalID, "IE pps", i, j, likely)
	case len(w) == 18 && curp(w):
		sc.prove(NationalID, "MX curp", i, j, certain)
	case shape == "AAA0A00000" || shape == "A000000000000" && sc.near(aboutLicence, i, nearby):
		if sc.near(aboutLicence, i, nearby) {
			sc.add(Licence, "", i, j, likely)
		}
	}
}

// shapeOf returns a word with its letters as A and its digits as 0.
func shapeOf(w string) string {
	if len(w) > 20 {
		return ""
	}
	var b [20]byte
	for k := range len(w) {
		switch {
		case isDigit(w[k]):
			b[k] = '0'
		case isAlpha(w[k]):
			b[k] = 'A'
		default:
			b[k] = '?'
		}
	}
	return string(b[:len(w)])
}

// ninoPrefix reports whether a number of British national insurance may begin
// and end so.
func ninoPrefix(w string) bool {
	if strings.IndexByte("DFIQUV", w[0]) >= 0 || strings.IndexByte("DFIOQUV", w[1]) >= 0 {
		return false
	}
	switch w[:2] {
	case "BG", "GB", "KN", "NK", "NT", "TN", "ZZ":
		return false
	}
	return w[8] <= 'D'
}

func dniLetter(digits string) byte { return "TRWAGMYFPDXBNJZSQVHLCKE"[value([]byte(digits), 8)%23] }

func ppsLetter(w string) byte {
	sum := weighted([]byte(w), 8, 7, 6, 5, 4, 3, 2)
	if len(w) == 9 && w[8] != 'W' {
		sum += 9 * int(w[8]-'A'+1)
	}
	return "WABCDEFGHIJKLMNOPQRSTUV"[sum%23]
}

// codiceFiscale checks an Italian tax code: the letters of odd places count by a
// table of the law, those of even places by the alphabet.
func codiceFiscale(w string) bool {
	const odd = "BAKPLCQDREVOSFTGUHMINJWZYX" // the letter of value v stands at v
	shape := shapeOf(w)
	if shape[:6] != "AAAAAA" || shape[8] != 'A' || shape[11] != 'A' || shape[15] != 'A' || strings.Contains(shape, "?") {
		return false
	}
	sum := 0
	for k := range 15 {
		letter := w[k]
		if isDigit(letter) {
			letter = 'A' + letter - '0'
		}
		if k%2 == 0 {
			sum += strings.IndexByte(odd, letter)
		} else {
			sum += int(letter - 'A')
		}
	}
	return 'A'+byte(sum%26) == w[15]
}

func cnNumber(w string) bool {
	for k := range 17 {
		if !isDigit(w[k]) {
			return false
		}
	}
	d := []byte(w)
	year := value(d[6:], 4)
	sum := weighted(d, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
	return year >= 1880 && year <= 2100 && birthDate(d, 10, 12) && "10X98765432"[sum%11] == w[17]
}

func curp(w string) bool {
	if shapeOf(w)[:10] != "AAAA000000" || w[10] != 'H' && w[10] != 'M' || !isDigit(w[17]) {
		return false
	}
	sum := 0
	for k := range 17 {
		v := strings.IndexByte("0123456789ABCDEFGHIJKLMN.OPQRSTUVWXYZ", w[k])
		if v < 0 {
			return false
		}
		sum += v * (18 - k)
	}
	return (10-sum%10)%10 == int(w[17]-'0')
}

// declaredCode looks for passports, licences and plates by a word before them.
func (sc *scanner) declaredCode(i, j int) {
	end, digits, capitals := j, 0, true
	for k := i; k < end; k++ {
		if isDigit(sc.s[k]) {
			digits++
		} else if !isUpper(sc.s[k]) {
			capitals = false
		}
	}
	size := end - i
	switch {
	case sc.near(aboutPassport, i, 32) && digits >= 5 && size >= 6 && size <= 12:
		sc.add(Passport, "", i, end, likely)
	case sc.near(aboutPlate, i, 32) && capitals && size >= 4 && size <= 9:
		sc.add(Plate, "", i, end, probable)
	case sc.near(aboutLicence, i, 32) && digits >= 4 && size >= 6 && size <= 20:
		sc.add(Licence, "", i, end, probable)
	case sc.near(aboutUser, i, 16) && size >= 4 && size <= 40 && !sc.near(aboutAge, i, 16) && digits < size:
		sc.add(Username, "", i, end, weak)
	}
}

// codes looks for codes that are written in groups of letters and digits, from i
// on: number plates, British insurance numbers and post codes, Finnish identity
// numbers.
func (sc *scanner) codes(i int) {
	if sc.inWord(i) {
		return
	}
	var shape [20]byte
	var ends [20]bool
	n := 0
	for k := i; n < len(shape); k++ {
		b := sc.at(k)
		switch {
		case isDigit(b):
			shape[n] = '0'
		case isUpper(b):
			shape[n] = 'A'
		case (b == ' ' || b == '-' || b == '.') && isAlnum(sc.at(k+1)):
			shape[n] = b
		default:
			b = 0
		}
		if b == 0 {
			break
		}
		ends[n] = !sc.wordy(k + 1)
		n++
	}
	for size := n; size >= 5; size-- {
		if ends[size-1] && sc.code(i, string(shape[:size])) {
			return
		}
	}
}

// code records the code of a shape that begins at i, and reports whether there
// is one.
func (sc *scanner) code(i int, shape string) bool {
	text, end := sc.s[i:i+len(shape)], i+len(shape)
	switch shape {
	case "AA 00 00 00 A", "AA-00-00-00-A":
		joined := strings.NewReplacer(" ", "", "-", "").Replace(text)
		if ninoPrefix(joined) {
			sc.add(NationalID, "GB national insurance", i, end, strong)
			return true
		}
	case "AA00 AAA":
		sc.add(Plate, "GB", i, end, probable)
		return true
	case "AA-000-AA", "AA 000 AA":
		sc.add(Plate, "FR", i, end, probable)
		return true
	case "A-AA 0000", "AA-A 0000", "AA-AA 0000", "AAA-A 000", "A-A 0000", "A-AA 000", "AA-AA 000", "AAA-AA 000", "AA-A 000", "AAA-AA 00":
		sc.add(Plate, "DE", i, end, probable)
		return true
	case "AAA 0000", "0000 AAA", "AAA-0000", "0AAA000", "AAA 000", "AAA-000", "0000-AAA":
		if sc.near(aboutPlate, i, 32) {
			sc.add(Plate, "", i, end, probable)
			return true
		}
	case "A0 0AA", "A00 0AA", "AA0 0AA", "AA00 0AA", "A0A 0AA", "AA0A 0AA":
		sc.add(Postcode, "GB", i, end, likely)
		return true
	case "A0A 0A0":
		sc.add(Postcode, "CA", i, end, likely)
		return true
	case "000000-000A", "000000-0000", "000000A000A", "000000A0000":
		if finnish(text) {
			sc.prove(NationalID, "FI henkilötunnus", i, end, certain)
			return true
		}
	case "00.000.000-0", "0.000.000-0", "00.000.000-A", "0.000.000-A":
		if chilean(text) {
			sc.prove(NationalID, "CL rut", i, end, strong)
			return true
		}
	}
	return false
}

// finnish checks day, month and check character of a Finnish identity number.
func finnish(w string) bool {
	number := []byte(w[:6] + w[7:10])
	for _, b := range number {
		if !isDigit(b) {
			return false
		}
	}
	return birthDate(number, 2, 0) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[value(number, 9)%31] == w[10]
}

// chilean checks a Chilean number, whose check digit may be K.
func chilean(w string) bool {
	sum, weight := 0, 2
	for k := len(w) - 3; k >= 0; k-- {
		if !isDigit(w[k]) {
			continue
		}
		sum += weight * int(w[k]-'0')
		if weight++; weight > 7 {
			weight = 2
		}
	}
	return "0123456789K"[(11-sum%11)%11] == w[len(w)-1]
}
