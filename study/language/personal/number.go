package personal

import "unicode/utf8"

// group is a run of digits.
type group struct {
	start, end int
	sep        byte // what stands before it: one of " -./)" or 0
}

// digits is what a number written in groups may be read as.
type digits struct {
	groups [8]group
	n      int      // groups
	all    [40]byte // the digits of all groups
	total  int
	shape  [56]byte // digits as 0 and what separates them
	length int      // of shape
}

// upTo returns the digits of the first n groups.
func (d *digits) upTo(n int) []byte {
	count := 0
	for _, g := range d.groups[:n] {
		count += g.end - g.start
	}
	return d.all[:count]
}

// shapeUpTo returns the shape of the first n groups, such as 000-00-0000.
func (d *digits) shapeUpTo(n int) string {
	return string(d.shape[:min(d.length, len(d.upTo(n))+n-1)])
}

// separator returns the byte that stands for what separates groups at i, and
// where the next group begins; 0 if nothing does.
func (sc *scanner) separator(i int) (sep byte, next int) {
	switch sc.at(i) {
	case ' ', '-', '.', '/':
		return sc.s[i], i + 1
	case 0xc2: // a space that does not break
		if sc.at(i+1) == 0xa0 {
			return ' ', i + 2
		}
	case 0xe2: // a hyphen that does not break, a dash, a thin space
		if r, size := utf8.DecodeRuneInString(sc.s[i:]); r == '‑' || r == '–' || r == '\u2009' || r == '\u202f' {
			if r == '‑' || r == '–' {
				return '-', i + size
			}
			return ' ', i + size
		}
	}
	return 0, i
}

// group reads digits in groups from i on, as far as limits allow.
func (sc *scanner) group(i int) (d digits) {
	sep := byte(0)
	for d.n < len(d.groups) {
		j := i
		for isDigit(sc.at(j)) {
			j++
		}
		if j == i || d.total+j-i > len(d.all) {
			break
		}
		if d.n > 0 && d.length < len(d.shape) {
			d.shape[d.length] = sep
			d.length++
		}
		d.groups[d.n] = group{start: i, end: j, sep: sep}
		d.n++
		d.total += copy(d.all[d.total:], sc.s[i:j])
		for range j - i {
			if d.length < len(d.shape) {
				d.shape[d.length] = '0'
				d.length++
			}
		}
		if sep, i = sc.separator(j); sep == 0 {
			break
		}
	}
	return d
}

// run looks at digits that begin at i, alone or in groups.
func (sc *scanner) run(i int) {
	if i > 0 && sc.inNumber(i) {
		return
	}
	d := sc.group(i)
	if d.n == 0 {
		return
	}
	sc.numericDate(i, &d)
	sc.street(i, &d)
	sc.age(i, &d)
	sc.postcode(i, &d)
	if d.total < 6 {
		return
	}
	sc.phone(i)
	sc.card(&d)
	sc.national(&d)
	sc.declaredNumber(&d)
	sc.account(&d)
}

// inNumber reports whether the digits at i go on from digits before them, so
// that what begins here is a part.
func (sc *scanner) inNumber(i int) bool {
	switch sc.s[i-1] {
	case '.', ',', '/', '_', '\'':
		return isAlnum(sc.at(i - 2))
	case '-':
		return isDigit(sc.at(i-2)) || isAlpha(sc.at(i-2)) && isAlnum(sc.at(i-3))
	case '$', '#':
		return sc.s[i-1] == '$'
	}
	return false
}

// ends reports whether nothing of a number goes on at j.
func (sc *scanner) ends(j int) bool {
	if sc.wordy(j) {
		return false
	}
	switch sc.at(j) {
	case '.', ',', '-', '/', ':', '_':
		return !isDigit(sc.at(j + 1))
	case '%':
		return false
	}
	return true
}

// CheckDigit returns Luhn's check digit behind some digits, as cards have it.
func CheckDigit(digits []byte) byte {
	sum := 0
	for i := range digits {
		v := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return byte('0' + (10-sum%10)%10)
}

// luhn reports whether the last of some digits is the check digit of the others.
func luhn(d []byte) bool { return CheckDigit(d[:len(d)-1]) == d[len(d)-1] }

// value returns the first n digits as a number.
func value(d []byte, n int) int {
	v := 0
	for _, b := range d[:min(n, len(d))] {
		v = v*10 + int(b-'0')
	}
	return v
}

// issuer names the company of a card by its first digits and its length, or "".
func issuer(d []byte) string {
	n, two, three, four := len(d), value(d, 2), value(d, 3), value(d, 4)
	switch {
	case d[0] == '4' && (n == 13 || n == 16 || n == 19):
		return "visa"
	case n == 16 && (two >= 51 && two <= 55 || four >= 2221 && four <= 2720):
		return "mastercard"
	case n == 15 && (two == 34 || two == 37):
		return "amex"
	case n >= 14 && n <= 19 && (two == 36 || two == 38 || two == 39 || three >= 300 && three <= 305 || three == 309):
		return "diners"
	case n >= 16 && n <= 19 && (four == 6011 || two == 65 || three >= 644 && three <= 649):
		return "discover"
	case n >= 16 && n <= 19 && four >= 3528 && four <= 3589, n == 15 && (four == 2131 || four == 1800):
		return "jcb"
	case n >= 16 && n <= 19 && two == 62:
		return "unionpay"
	case n >= 16 && n <= 19 && four >= 2200 && four <= 2204:
		return "mir"
	case n >= 12 && n <= 19 && (two == 50 || two >= 56 && two <= 69):
		return "maestro"
	}
	return ""
}

// card looks for the number of a payment card among the groups.
func (sc *scanner) card(d *digits) {
	for n := d.n; n > 0; n-- {
		number, last := d.upTo(n), d.groups[n-1]
		if len(number) < 12 || len(number) > 19 || !cardShape(d, n) || !sc.ends(last.end) {
			continue
		}
		company, start := issuer(number), d.groups[0].start
		about := sc.near(aboutCard, start, nearby)
		switch {
		case luhn(number) && company != "":
			confidence := certain
			if company == "maestro" && !about {
				confidence = probable
			}
			sc.prove(Card, company, start, last.end, confidence)
		case luhn(number) && about:
			sc.prove(Card, "", start, last.end, likely)
		case about && len(number) >= 13 && company != "":
			sc.add(Card, company, start, last.end, probable) // somebody mistyped it
		default:
			continue
		}
		return
	}
}

// cardShape reports whether the first n groups are how people write cards.
func cardShape(d *digits, n int) bool {
	if n == 1 {
		return true
	}
	for k := range n {
		g := d.groups[k]
		if k > 0 && (g.sep != d.groups[1].sep || g.sep != ' ' && g.sep != '-' && g.sep != '.') {
			return false
		}
		if size := g.end - g.start; k < n-1 && (size < 4 || size > 6) {
			return false
		}
	}
	return true
}

// declaredNumber looks for a passport or a driving licence by a word before it.
func (sc *scanner) declaredNumber(d *digits) {
	start, end := d.groups[0].start, d.groups[0].end
	if d.n > 1 && d.groups[1].sep == '-' {
		end = d.groups[d.n-1].end
	}
	size := end - start
	if size < 6 || size > 20 || !sc.ends(end) {
		return
	}
	switch {
	case sc.near(aboutPassport, start, 32):
		sc.add(Passport, "", start, end, probable)
	case sc.near(aboutLicence, start, 32):
		sc.add(Licence, "", start, end, probable)
	}
}

// account looks for the number of a bank account, by a word before it.
func (sc *scanner) account(d *digits) {
	g := d.groups[0]
	if size := g.end - g.start; size >= 7 && size <= 17 && sc.ends(g.end) && sc.near(aboutAccount, g.start, 24) {
		sc.add(Account, "", g.start, g.end, probable)
	}
}

// age looks for how old somebody is: "aged 44", "44 years old", "44 y/o".
func (sc *scanner) age(i int, d *digits) {
	g := d.groups[0]
	size := g.end - g.start
	if size > 3 || size == 3 && sc.s[i] != '1' || sc.s[i] == '0' {
		return
	}
	switch rest := sc.s[g.end:min(len(sc.s), g.end+16)]; {
	case yearsOld(rest):
		sc.add(Age, "", i, g.end, strong)
	case sc.near(aboutAge, i, 6) && sc.ends(g.end) && size >= 1:
		sc.add(Age, "", i, g.end, probable)
	}
}

// yearsOld reports whether a text goes on with a phrase for an age.
func yearsOld(rest string) bool {
	low := make([]byte, 0, 16)
	for k := range len(rest) {
		b := rest[k]
		if isUpper(b) {
			b |= 0x20
		}
		if b == '-' {
			b = ' '
		}
		low = append(low, b)
	}
	for _, phrase := range [...]string{" year old", " years old", " y/o", "y/o", " yo ", "yo ", " yr old", " yrs old", " years of age", " yo.", " y.o"} {
		if len(low) >= len(phrase) && string(low[:len(phrase)]) == phrase {
			return true
		}
	}
	return false
}
