package personal

import "strings"

// phone looks for a phone number at i, which is a digit, a plus or a bracket.
func (sc *scanner) phone(i int) {
	if i > 0 && (sc.s[i-1] == '(' || sc.s[i-1] == '+') && isDigit(sc.s[i]) {
		return // found from the sign on
	}
	p := sc.dial(i)
	if p.total < 7 || p.total > 15 {
		return
	}
	end := sc.extension(p.end)
	if end == p.end && !sc.ends(p.end) {
		return
	}
	about := sc.near(aboutPhone, i, nearby) || sc.followedByPhone(p.end)
	if confidence := p.confidence(about); confidence > 0 {
		if end > p.end {
			confidence = max(confidence, probable)
		}
		sc.add(Phone, p.country, i, end, confidence)
	}
}

// dialled is a number as people write it to be dialled.
type dialled struct {
	digits  [20]byte
	total   int
	groups  [10]int // digits of each group
	n       int     // groups
	plus    bool    // begins with a plus
	bracket bool    // has an area code in brackets
	mixed   bool    // has a separator that phone numbers seldom have, or unlike ones
	end     int
	country string // what the calling code stands for
}

// dial reads what could be dialled from i on.
func (sc *scanner) dial(i int) (p dialled) {
	if sc.s[i] == '+' {
		p.plus = true
		i++
	}
	var sep byte
	for i < len(sc.s) && p.n < len(p.groups) {
		if sc.at(i) == '(' {
			shut := strings.IndexByte(sc.s[i:min(len(sc.s), i+8)], ')')
			if shut < 2 || !isDigit(sc.at(i+1)) || p.bracket {
				return p
			}
			before := p.total
			for k := i + 1; k < i+shut; k++ {
				if isDigit(sc.s[k]) && p.total < len(p.digits) {
					p.digits[p.total] = sc.s[k]
					p.total++
				} else if sc.s[k] != ' ' && sc.s[k] != '-' {
					return p
				}
			}
			p.bracket = true
			p.groups[p.n] = p.total - before
			p.n++
			i = sc.skip(i+shut+1, " -")
			continue
		}
		j := i
		for isDigit(sc.at(j)) && p.total < len(p.digits) {
			p.digits[p.total] = sc.s[j]
			p.total++
			j++
		}
		if j == i {
			return p
		}
		p.groups[p.n] = j - i
		p.n++
		p.end = j
		s, next := sc.separator(j)
		if s == 0 && sc.at(j) == '(' {
			i = j
			continue
		}
		if s == ' ' && sc.at(next) == '(' {
			i = next
			continue
		}
		if s == 0 || !isDigit(sc.at(next)) {
			return p
		}
		if s == '/' && p.n > 1 || sep != 0 && s != sep && p.n > 2 {
			p.mixed = true
		}
		if p.n > 1 || sep == 0 {
			sep = s
		}
		i = next
	}
	return p
}

// confidence says how sure it is that p is a phone number, 0 for not at all.
func (p *dialled) confidence(about bool) float64 {
	if p.plus || p.total > 9 && p.digits[0] == '0' && p.digits[1] == '0' {
		number := p.digits[:p.total]
		if !p.plus {
			number = number[2:]
		}
		country, ok := callingCode(number)
		p.country = country
		switch {
		case ok && p.plus:
			return strong
		case ok && (p.n > 1 || about):
			return likely
		case p.plus && p.total >= 8, about:
			return probable
		}
		return 0
	}
	if p.n == 1 {
		return p.bare(about)
	}
	if p.mixed || p.dateLike() {
		if about && p.total >= 7 && !p.dateLike() {
			return weak
		}
		return 0
	}
	if p.northAmerican() {
		p.country = "1"
		return strong
	}
	biggest := 0
	for _, g := range p.groups[:p.n] {
		biggest = max(biggest, g)
	}
	switch {
	case p.bracket && p.total >= 7 && p.total <= 13:
		return likely
	case p.digits[0] == '0' && p.total >= 8 && p.total <= 12:
		return likely
	case about && p.total <= 13:
		return likely
	case p.n >= 3 && p.total >= 8 && p.total <= 12 && biggest <= 5:
		return probable
	case p.n == 2 && p.groups[0] == 4 && p.groups[1] == 4 && (p.digits[0] == '1' || p.digits[0] == '2') && p.digits[4] == p.digits[0]:
		return 0 // from one year to another
	case p.n == 2 && p.total >= 7 && p.total <= 9 && p.groups[0] >= 2 && p.groups[1] >= 3:
		return weak
	}
	return 0
}

// bare is the confidence in a number without separators.
func (p *dialled) bare(about bool) float64 {
	switch {
	case about && p.total <= 12:
		return probable
	case p.digits[0] == '0' && p.digits[1] != '0' && p.total >= 10 && p.total <= 11:
		return weak
	case p.total == 10 && p.digits[0] >= '2' && p.digits[3] >= '2' && p.digits[1] != '9':
		return weak
	}
	return 0
}

// northAmerican reports whether p is written as in North America: 3-3-4, with
// the 1 of the country or without it.
func (p *dialled) northAmerican() bool {
	g := p.groups[:p.n]
	if len(g) == 4 && g[0] == 1 && p.digits[0] == '1' {
		g = g[1:]
	} else if len(g) == 4 && g[0] == 3 && string(p.digits[:3]) == "001" {
		g = g[1:]
	}
	return len(g) == 3 && g[0] == 3 && g[1] == 3 && g[2] == 4 ||
		len(g) == 2 && g[0] == 3 && g[1] == 7
}

// dateLike reports whether the groups could be a date, such as 2001-12-31.
func (p *dialled) dateLike() bool {
	if p.n != 3 || p.bracket || p.total != 8 {
		return false
	}
	g := p.groups
	return g[0] == 4 && g[1] == 2 && g[2] == 2 && (p.digits[0] == '1' || p.digits[0] == '2') ||
		g[0] == 2 && g[1] == 2 && g[2] == 4 && (string(p.digits[4:6]) == "19" || string(p.digits[4:6]) == "20")
}

// extension returns where an extension behind a number ends: x123, ext. 123.
func (sc *scanner) extension(j int) int {
	k := sc.skip(j, " ,")
	rest := strings.ToLower(sc.s[k:min(len(sc.s), k+10)])
	size := 0
	for _, mark := range [...]string{"extension ", "ext. ", "ext.", "ext ", "x"} {
		if strings.HasPrefix(rest, mark) {
			size = len(mark)
			break
		}
	}
	if size == 0 {
		return j
	}
	end := k + size
	for isDigit(sc.at(end)) && end-k-size < 7 {
		end++
	}
	if end == k+size || sc.wordy(end) {
		return j
	}
	return end
}

// followedByPhone reports whether a word behind a number says that it is one of
// a phone.
func (sc *scanner) followedByPhone(j int) bool {
	k := sc.skip(j, " -(,")
	end := k
	for end < len(sc.s) && end-k < 7 && isAlpha(sc.s[end]) {
		end++
	}
	switch strings.ToLower(sc.s[k:end]) {
	case "office", "fax", "mobile", "cell", "phone", "tel", "work":
		return end > k
	}
	return false
}
