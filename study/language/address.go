package language

import "strings"

// address returns how many bytes of address of the web or of mail a text begins
// with: 0 if it begins with none. No address begins within a word.
func address(s string, fresh bool) int {
	if !fresh {
		return 0
	}
	if n := web(s); n > 0 {
		return n
	}
	return mail(s)
}

// web returns how many bytes of address of the web a text begins with.
func web(s string) int {
	n := 0
	for _, begin := range []string{"http://", "https://", "ftp://", "www."} {
		if len(s) > len(begin) && strings.EqualFold(s[:len(begin)], begin) {
			n = len(begin)
		}
	}
	if n == 0 {
		return 0
	}
	end := n
	for end < len(s) && !strings.ContainsRune("<>\"“”|{}[]", rune(s[end])) {
		end++
	}
	unopened := strings.Count(s[:end], ")") - strings.Count(s[:end], "(")
	for end > n && strings.IndexByte(".,;:!?)'*", s[end-1]) >= 0 {
		if s[end-1] == ')' {
			if unopened <= 0 {
				break
			}
			unopened--
		}
		end--
	}
	if end == n {
		return 0
	}
	return end
}

// The longest address of mail, in bytes: RFC 5321.
const (
	maxLocal = 64
	maxHost  = 255
)

// mail returns how many bytes of address of mail a text begins with.
func mail(s string) int {
	at := 0
	for at < len(s) && at <= maxLocal && (digit(s[at]) || letter(s[at]) || strings.IndexByte("._%+-#&=", s[at]) >= 0) {
		at++
	}
	if at == 0 || at == len(s) || s[at] != '@' || !letter(s[0]) && !digit(s[0]) {
		return 0
	}
	end, dot := at+1, 0
	for end < len(s) && end-at <= maxHost && (digit(s[end]) || letter(s[end]) || s[end] == '-' || s[end] == '.') {
		if s[end] == '.' && end+1 < len(s) && (digit(s[end+1]) || letter(s[end+1])) {
			dot = end
		}
		end++
	}
	for end > at && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	if dot == 0 || end <= dot {
		return 0
	}
	return end
}

// emoticons begin with the characters below; longer ones come first.
var emoticons = []string{
	":-))", ":'-(", ":'(", ":-)", ":-(", ";-)", ":-D", ":-P", ":-p", ":-/", ":-|", ":-*", "=-)", "8-)", ">:(", ":))", ":((",
	":)", ":(", ";)", ":D", ";D", ":P", ";P", ":p", "=)", "=(", ":|", ":]", "=D", "=P", ":*", "xD", "XD", "<3", "^_^", "-_-", "^^", "(:", "(;", ":/", ":o", ":O",
}

// emoticon returns how many bytes of emoticon a text begins with.
func emoticon(s string) int {
	if strings.IndexByte(":;=8>xX<^-(", s[0]) < 0 {
		return 0
	}
	for _, e := range emoticons {
		if strings.HasPrefix(s, e) {
			if rest := s[len(e):]; rest == "" || !letter(rest[0]) && !digit(rest[0]) && rest[0] != '/' {
				return len(e)
			}
		}
	}
	return 0
}
