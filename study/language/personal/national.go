package personal

import "sotto/study/language"

// identity is a number that a country gives its people.
type identity struct {
	kind   string        // country and name
	typ    language.Type // SSN, or empty for NationalID
	shapes []string      // how it is written in groups, digits as 0
	digits int           // of the form without groups
	check  func(d []byte) bool

	// Confidence in a number that passes the check, in groups or without; 0 where
	// a word nearby has to speak for it.
	grouped, bare float64
}

// identities are the numbers of digits alone that Find knows. Those with a
// check that one in ten or eleven passes by chance need a shape, a word nearby
// or a date of birth within.
var identities = []identity{
	{kind: "US social security", typ: SSN, shapes: []string{"000-00-0000", "000 00 0000", "000.00.0000"}, digits: 9, check: usSSN, grouped: strong},
	{kind: "BR cpf", shapes: []string{"000.000.000-00"}, digits: 11, check: brCPF, grouped: certain, bare: probable},
	{kind: "CH ahv", shapes: []string{"000.0000.0000.00"}, digits: 13, check: chAHV, grouped: certain, bare: certain},
	{kind: "FR nir", shapes: []string{"0 00 00 00 000 000 00", "0 00 00 00000 000 00"}, digits: 15, check: frNIR, grouped: certain, bare: likely},
	{kind: "BE national number", shapes: []string{"00.00.00-000.00", "00 00 00 000 00", "00.00.00.000-00"}, digits: 11, check: beNumber, grouped: certain, bare: likely},
	{kind: "PL pesel", digits: 11, check: plPESEL, bare: likely},
	{kind: "DE tax number", shapes: []string{"00 000 000 000"}, digits: 11, check: deTax, grouped: likely, bare: probable},
	{kind: "NO fødselsnummer", shapes: []string{"000000 00000"}, digits: 11, check: noNumber, grouped: certain, bare: likely},
	{kind: "TR kimlik", digits: 11, check: trKimlik, bare: probable},
	{kind: "SE personnummer", shapes: []string{"000000-0000", "00000000-0000"}, check: sePersonnummer, grouped: likely},
	{kind: "DK cpr", shapes: []string{"000000-0000"}, check: dkCPR, grouped: probable},
	{kind: "CZ rodné číslo", shapes: []string{"000000/0000"}, check: czNumber, grouped: strong},
	{kind: "KR resident number", shapes: []string{"000000-0000000"}, check: krNumber, grouped: likely},
	{kind: "IN aadhaar", shapes: []string{"0000 0000 0000", "0000-0000-0000"}, digits: 12, check: inAadhaar, grouped: likely},
	{kind: "ZA identity number", shapes: []string{"000000 0000 000"}, digits: 13, check: zaNumber, grouped: strong, bare: likely},
	{kind: "RO cnp", digits: 13, check: roCNP, bare: likely},
	{kind: "CA social insurance", shapes: []string{"000-000-000", "000 000 000"}, digits: 9, check: caSIN, grouped: weak},
	{kind: "NL bsn", shapes: []string{"0000.00.000", "000000000"}, digits: 9, check: nlBSN},
	{kind: "GB nhs", shapes: []string{"000 000 0000", "000-000-0000"}, digits: 10, check: gbNHS},
	{kind: "AU tax file number", shapes: []string{"000 000 000"}, digits: 9, check: auTFN},
	{kind: "PT nif", shapes: []string{"000 000 000"}, digits: 9, check: ptNIF},
	{kind: "AT social insurance", shapes: []string{"0000 000000"}, digits: 10, check: atSVNR},
}

// national looks for the numbers of countries among the groups.
func (sc *scanner) national(d *digits) {
	for n := d.n; n > 0; n-- {
		number, last := d.upTo(n), d.groups[n-1]
		if len(number) < 8 || len(number) > 15 || !sc.ends(last.end) {
			continue
		}
		shape, start := d.shapeUpTo(n), d.groups[0].start
		for _, id := range identities {
			confidence := id.bare
			if n > 1 {
				confidence = id.grouped
				if !contains(id.shapes, shape) {
					continue
				}
			} else if id.digits != len(number) {
				continue
			}
			about := aboutIdentity
			if id.typ == SSN {
				about = aboutSSN
			}
			if sc.near(about, start, nearby) {
				confidence = max(confidence, likely)
			}
			if confidence == 0 || !id.check(number) {
				continue
			}
			if id.typ == SSN { // has no checksum
				sc.add(SSN, id.kind, start, last.end, confidence)
				continue
			}
			sc.prove(NationalID, id.kind, start, last.end, confidence)
		}
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// weighted returns the sum of the first digits times weights.
func weighted(d []byte, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += w * int(d[i]-'0')
	}
	return sum
}

// birthDate reports whether d has a possible year, month and day at places y, m
// and l, each of two digits.
func birthDate(d []byte, m, l int) bool {
	month, day := value(d[m:], 2), value(d[l:], 2)
	return month >= 1 && month <= 12 && day >= 1 && day <= 31
}

// usSSN: never issued are area 000, 666 and group or serial zero. Areas from 900
// on are those of taxpayers without a social security number.
func usSSN(d []byte) bool {
	area := value(d, 3)
	return area != 0 && area != 666 && value(d[3:], 2) != 0 && value(d[5:], 4) != 0
}

func brCPF(d []byte) bool {
	same := true
	for _, b := range d {
		same = same && b == d[0]
	}
	first := weighted(d, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	second := weighted(d, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	return !same && first == int(d[9]-'0') && second == int(d[10]-'0')
}

func chAHV(d []byte) bool {
	return value(d, 3) == 756 && weighted(d, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
}

func frNIR(d []byte) bool {
	month := value(d[3:], 2)
	return (d[0] == '1' || d[0] == '2') && (month >= 1 && month <= 12 || month >= 20) &&
		97-value(d, 13)%97 == value(d[13:], 2)
}

func beNumber(d []byte) bool {
	if month := value(d[2:], 2); month > 12 {
		return false
	}
	key := value(d[9:], 2)
	return 97-value(d, 9)%97 == key || 97-(2_000_000_000+value(d, 9))%97 == key
}

func plPESEL(d []byte) bool {
	month, day := value(d[2:], 2)%20, value(d[4:], 2)
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
		weighted(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0
}

// deTax: ISO 7064 mod 11,10; of the first ten digits, one stands twice or thrice.
func deTax(d []byte) bool {
	if d[0] == '0' {
		return false
	}
	var count [10]int
	product := 10
	for _, b := range d[:10] {
		count[b-'0']++
		sum := (int(b-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	repeated := 0
	for _, c := range count {
		if c > 3 {
			return false
		}
		if c > 1 {
			repeated++
		}
	}
	return repeated == 1 && (11-product)%10 == int(d[10]-'0')
}

func noNumber(d []byte) bool {
	day, month := value(d, 2)%40, value(d[2:], 2)%40
	return day >= 1 && day <= 31 && month >= 1 && month <= 12 &&
		weighted(d, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 && weighted(d, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

func trKimlik(d []byte) bool {
	odd, even := weighted(d, 1, 0, 1, 0, 1, 0, 1, 0, 1), weighted(d, 0, 1, 0, 1, 0, 1, 0, 1)
	tenth := ((odd*7-even)%10 + 10) % 10
	return d[0] != '0' && tenth == int(d[9]-'0') && weighted(d, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)%10 == int(d[10]-'0')
}

func sePersonnummer(d []byte) bool {
	if len(d) == 12 {
		if c := value(d, 2); c < 18 || c > 20 {
			return false
		}
		d = d[2:]
	}
	month, day := value(d[2:], 2), value(d[4:], 2)%60
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 && luhn(d)
}

func dkCPR(d []byte) bool { return birthDate(d, 2, 0) }

func czNumber(d []byte) bool {
	month, day := value(d[2:], 2)%50, value(d[4:], 2)
	if month > 20 {
		month -= 20
	}
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 && value(d, 10)%11 == 0
}

func krNumber(d []byte) bool { return birthDate(d, 2, 4) && d[6] >= '1' && d[6] <= '8' }

// inAadhaar checks by Verhoeff's method: permutations in the dihedral group of
// ten elements.
func inAadhaar(d []byte) bool {
	if d[0] < '2' {
		return false
	}
	turn := [10]int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}
	c := 0
	for i := range d {
		v := int(d[len(d)-1-i] - '0')
		for range i % 8 {
			v = turn[v]
		}
		c = dihedral(c, v)
	}
	return c == 0
}

// dihedral multiplies in the dihedral group of ten elements: 0 to 4 are turns, 5
// to 9 are mirrors.
func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return (a+b)%5 + 5
	case b < 5:
		return (a-b)%5 + 5
	default:
		return (a - b + 5) % 5
	}
}

func zaNumber(d []byte) bool { return birthDate(d, 2, 4) && d[10] <= '1' && luhn(d) }

func roCNP(d []byte) bool {
	key := weighted(d, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9) % 11
	if key == 10 {
		key = 1
	}
	return d[0] >= '1' && d[0] <= '8' && birthDate(d, 3, 5) && key == int(d[12]-'0')
}

func caSIN(d []byte) bool { return d[0] != '0' && d[0] != '8' && luhn(d) }

func nlBSN(d []byte) bool {
	return value(d, 9) > 0 && weighted(d, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0
}

func gbNHS(d []byte) bool {
	key := 11 - weighted(d, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11
	return key%11 == int(d[9]-'0') && key != 10
}

func auTFN(d []byte) bool {
	return weighted(d, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0
}

func ptNIF(d []byte) bool {
	key := 11 - weighted(d, 9, 8, 7, 6, 5, 4, 3, 2)%11
	if key > 9 {
		key = 0
	}
	return key == int(d[8]-'0')
}

func atSVNR(d []byte) bool {
	return d[0] != '0' && weighted(d, 3, 7, 9, 0, 5, 8, 4, 2, 1, 6)%11 == int(d[3]-'0')
}
