package personal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the standards: of the part of an address before the @, and of the
// name of a host.
const (
	longestLocal = 64
	longestHost  = 253
)

// email looks for an e-mail address around the @ at i.
func (sc *scanner) email(i int) {
	start := i
	for start > 0 && i-start < longestLocal && sc.local(start-1) {
		start--
	}
	for start < i && (sc.s[start] == '.' || sc.s[start] == '-' || sc.s[start] == '\'' || sc.s[start] == '/' || sc.s[start] == '=' || !utf8.RuneStart(sc.s[start])) {
		start++
	}
	if start == i || sc.s[i-1] == '.' {
		return
	}
	end, dotted := sc.host(i + 1)
	if !dotted {
		return
	}
	sc.add(Email, "", start, end, certain)
}

// local reports whether byte i may stand before the @ of an e-mail address.
func (sc *scanner) local(i int) bool {
	switch b := sc.s[i]; {
	case b >= utf8.RuneSelf:
		return sc.wordy(i)
	case isAlnum(b):
		return true
	default:
		return strings.IndexByte(".!#$%&'*+/=?^_`{|}~-", b) >= 0
	}
}

// host returns where the name of a host that begins at i ends, and whether it
// has a dot and a top-level domain of letters.
func (sc *scanner) host(i int) (end int, dotted bool) {
	begin, label, labels := i, i, 0
	for end = i; i < len(sc.s) && i-begin < longestHost; {
		j := sc.word(i)
		if j == i {
			break
		}
		i = j
		for sc.at(i) == '-' || sc.at(i) == '_' {
			i++
		}
		if sc.wordy(i) && i > j {
			continue
		}
		labels++
		end = j
		if labels > 1 && j == i && j-label >= 2 && !isDigit(sc.s[label]) {
			dotted = true
		}
		if i > j || sc.at(j) != '.' || !sc.wordy(j+1) {
			break
		}
		i, label = j+1, j+1
	}
	if dotted && isDigit(sc.s[label]) {
		dotted = false
	}
	return end, dotted && labels > 1
}

// handle looks for a name such as @ada at i.
func (sc *scanner) handle(i int) {
	if i > 0 && (sc.wordy(i-1) || strings.IndexByte("._-+@", sc.s[i-1]) >= 0) {
		return
	}
	j := i + 1
	for j < len(sc.s) && j-i <= 40 && (isAlnum(sc.s[j]) || sc.s[j] == '_' || sc.s[j] == '.' && isAlnum(sc.at(j+1))) {
		j++
	}
	if j-i < 3 || j-i > 40 || sc.at(j) == '@' {
		return
	}
	if dot := strings.LastIndexByte(sc.s[i:j], '.'); dot > 0 && topLevel[strings.ToLower(sc.s[i+dot+1:j])] {
		return // @example.com is a host
	}
	sc.add(Username, "", i, j, strong)
}

// schemes are those that begin an address on the web or the like.
func isScheme(word []byte) bool {
	switch string(word) {
	case "http", "https", "ftp", "ftps", "sftp", "ssh", "ws", "wss", "hxxp", "hxxps":
		return true
	}
	return false
}

// webWord looks at what a word may begin on the web: an address, a host, a
// written-out e-mail address, a user's name.
func (sc *scanner) webWord(i, j int, word []byte) {
	switch next := sc.at(j); {
	case next == ':' && i >= sc.web && isScheme(word) && strings.HasPrefix(sc.s[j:], "://"):
		if end := sc.path(j + 3); end > j+3 {
			sc.add(URL, "", i, end, certain)
			sc.web = end
		}
	case next == '.' && sc.wordy(j+1):
		sc.domain(i)
	case next == '-' && sc.wordy(j+1) && !sc.inWord(i):
		sc.domain(i)
	case next == '/' && len(word) == 1 && (word[0] == 'u' || word[0] == 'r') && !sc.inWord(i):
		if end := sc.name(j + 1); word[0] == 'u' && end-j > 3 {
			sc.add(Username, "", i, end, likely)
		}
	}
	switch string(word) {
	case "at", "dot":
		sc.spelt(i, j)
	case "username", "login", "userid", "nickname", "screenname":
		sc.declared(j)
	}
}

// inWord reports whether what begins at i goes on from something before it, as
// in a-b or a.b.
func (sc *scanner) inWord(i int) bool {
	if i == 0 {
		return false
	}
	switch sc.s[i-1] {
	case '.', '-', '_', '/', '@', '\\':
		return sc.wordy(i-2) || sc.at(i-2) == '/'
	}
	return false
}

// path returns where the address that begins at i ends: at a space, a quotation
// mark or the like, less the punctuation of the sentence around it.
func (sc *scanner) path(i int) int {
	const longestPath = 2048
	j, open := i, 0
	for j < len(sc.s) && j-i < longestPath {
		r, size := rune(sc.s[j]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(sc.s[j:])
			if r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("“”‘’«»…", r) {
				break
			}
		}
		if r <= ' ' || r == '<' || r == '>' || r == '"' || r == '|' || r == '`' || r == 0x7f {
			break
		}
		if r == '(' {
			open++
		}
		if r == ')' {
			if open--; open < 0 {
				break
			}
		}
		j += size
	}
	for j > i && strings.IndexByte(".,;:!?'*]}", sc.s[j-1]) >= 0 {
		j--
	}
	return j
}

// domain looks for an address without a scheme, such as www.example.org/a or
// example.com.
func (sc *scanner) domain(i int) {
	if sc.inWord(i) {
		return
	}
	end, dotted := sc.host(i)
	if !dotted || sc.at(end) == '@' {
		return
	}
	host := sc.s[i:end]
	confidence := strong
	if len(host) < 4 || !strings.EqualFold(host[:4], "www.") {
		tld := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
		if !topLevel[tld] {
			return
		}
		confidence = likely
		if fileNames[tld] && sc.at(end) != '/' && strings.Count(host, ".") == 1 {
			return // two sentences without a space between them
		}
		if strings.IndexByte(host, '.') < 2 {
			confidence = weak
		}
	}
	if c := sc.at(end); c == '/' || c == ':' && isDigit(sc.at(end+1)) || c == '?' {
		end = max(end, sc.path(end))
	}
	sc.add(URL, "", i, end, confidence)
}

// topLevel are the top-level domains that an address without a scheme may end
// in; others, such as .md, are more often something else.
var topLevel = set(`com org net edu gov mil int info biz io co ai app dev me tv us uk ca au nz ie za in de at ch fr be
nl lu it es pt se no dk fi is pl cz sk hu ro bg gr tr ru ua by lt lv ee si hr rs ba al mk cy mt cn jp kr tw hk sg my th
vn ph id pk bd lk ir iq il ae sa eg ma tn dz ng ke gh ug tz mx br ar cl pe ve uy py bo ec cr gt pa do cu pr eu asia xyz
online site shop store tech blog cloud club live news page link web mobi name pro tel travel museum jobs coop aero cat
onion ly gl gg fm to cc ws nu li`)

// fileNames are top-level domains that also end file names or follow a
// sentence's stop without a space.
var fileNames = set("me in is no so to do at be it us my by id pro name cat live travel page link")

// set makes a set of the words of a list.
func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// spelt looks for an address that is written out, around the word "at" at i:
// name at host dot com, name (at) host (dot) com.
func (sc *scanner) spelt(i, j int) {
	if sc.s[i]|0x20 != 'a' {
		return
	}
	before := sc.skipBack(i, " \t([{<_-")
	start := before
	for start > 0 && before-start < longestLocal && (isAlnum(sc.s[start-1]) || strings.IndexByte("._-+", sc.s[start-1]) >= 0) {
		start--
	}
	if start == before || before == i {
		return
	}
	k, dots, spelt := sc.skip(j, " \t)]}>_-"), 0, sc.at(i-1) != ' ' || sc.at(j) != ' '
	end := k
	for range 5 {
		w := sc.word(k)
		if w == k || w-k > 63 {
			return
		}
		end = w
		d := sc.skip(w, " \t([{<")
		switch {
		case sc.at(w) == '.' && sc.wordy(w+1):
			k = w + 1
		case d > w && sc.isDot(d):
			k, spelt = sc.skip(d+3, " \t)]}>"), true
		default:
			d = -1
		}
		if d < 0 {
			break
		}
		dots++
	}
	tld := sc.s[start+strings.LastIndexAny(sc.s[start:end], " .)]}>")+1 : end]
	if dots == 0 || !topLevel[strings.ToLower(tld)] || end-start > longestHost {
		return
	}
	if !spelt {
		return // "meet me at example.com" names a place
	}
	sc.add(Email, "written out", start, end, probable)
}

// isDot reports whether the word "dot" begins at i.
func (sc *scanner) isDot(i int) bool {
	return i+3 <= len(sc.s) && strings.EqualFold(sc.s[i:i+3], "dot") && !sc.wordy(i+3)
}

// skip returns the first byte from i on that is none of a few, eight at most.
func (sc *scanner) skip(i int, bytes string) int {
	for k := 0; k < 8 && i < len(sc.s) && strings.IndexByte(bytes, sc.s[i]) >= 0; k++ {
		i++
	}
	return i
}

// skipBack is skip towards the beginning: it returns an end.
func (sc *scanner) skipBack(i int, bytes string) int {
	for k := 0; k < 8 && i > 0 && strings.IndexByte(bytes, sc.s[i-1]) >= 0; k++ {
		i--
	}
	return i
}

// name returns where a user's name that begins at i ends.
func (sc *scanner) name(i int) int {
	j := i
	for j < len(sc.s) && j-i < 40 && (isAlnum(sc.s[j]) || (sc.s[j] == '_' || sc.s[j] == '-' || sc.s[j] == '.') && isAlnum(sc.at(j+1))) {
		j++
	}
	return j
}

// declared looks for a name behind a word such as "username", which ends at j.
func (sc *scanner) declared(j int) {
	k := sc.skip(j, " \t:=\"'")
	if strings.HasPrefix(sc.s[k:], "is ") {
		k = sc.skip(k+3, " \t:\"'")
	} else if !strings.ContainsAny(sc.s[j:k], ":=\"'") {
		return
	}
	end := sc.name(k)
	if end-k < 3 || sc.at(end) == '@' {
		return
	}
	sc.add(Username, "", k, end, probable)
}
