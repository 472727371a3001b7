package personal

import (
	"net/netip"
	"strings"
)

// hexWord reports whether all of a word in small letters is hexadecimal.
func hexWord(word []byte) bool {
	for _, b := range word {
		if !isDigit(b) && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

func isHex(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }

// ipv4 looks for an address of IPv4 at i, with a port or the length of a prefix.
func (sc *scanner) ipv4(i int) {
	if i > 0 && (sc.s[i-1] == '.' || sc.s[i-1] == '-') && sc.wordy(i-2) {
		return
	}
	j, dots := i, 0
	for j < len(sc.s) && j-i < 16 && (isDigit(sc.s[j]) || sc.s[j] == '.' && isDigit(sc.at(j+1))) {
		if sc.s[j] == '.' {
			dots++
		}
		j++
	}
	if dots != 3 || sc.wordy(j) {
		return
	}
	if a, err := netip.ParseAddr(sc.s[i:j]); err == nil && a.Is4() {
		sc.prove(IP, "IPv4", i, j, strong)
	}
}

// ipv6 looks for an address of IPv6 at i.
func (sc *scanner) ipv6(i int) {
	if i > 0 && (sc.s[i-1] == ':' || sc.s[i-1] == '.') && i > 1 && sc.wordy(i-2) {
		return
	}
	j, colons := i, 0
	for j < len(sc.s) && j-i < 46 && (isHex(sc.s[j]) || sc.s[j] == ':' || sc.s[j] == '.') {
		if sc.s[j] == ':' {
			colons++
		}
		j++
	}
	for j > i && (sc.s[j-1] == '.' || sc.s[j-1] == ':' && !strings.HasSuffix(sc.s[i:j], "::")) {
		j--
	}
	if colons < 2 || sc.wordy(j) || j-i < 3 {
		return
	}
	if a, err := netip.ParseAddr(sc.s[i:j]); err == nil && a.Is6() {
		confidence := certain
		if colons < 4 {
			confidence = likely
		}
		sc.prove(IP, "IPv6", i, j, confidence)
	}
}

// mac looks for a hardware address at i: six pairs of hexadecimal digits.
func (sc *scanner) mac(i int) {
	const length = 17
	if i+length > len(sc.s) || sc.inWord(i) || sc.wordy(i+length) {
		return
	}
	sep := sc.s[i+2]
	if sep != ':' && sep != '-' || sc.at(i+length) == sep {
		return
	}
	for k := range length {
		b := sc.s[i+k]
		if k%3 == 2 && b != sep || k%3 != 2 && !isHex(b) {
			return
		}
	}
	sc.prove(MAC, "", i, i+length, strong)
}
