package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word returns how many bytes the word has that a text begins with, with what
// it is written as one with.
func word(s string) int {
	n := size(s) // a letter, a digit, or what begins a number
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if kind(r) == inWord || r == '_' && n+1 < len(s) && kind(rune(s[n+1])) == inWord {
			n += size
			continue
		}
		if n+size >= len(s) || !joins(s, n, n+size) {
			break
		}
		n += size
	}
	if n < len(s) && s[n] == '.' && abbreviated(s[:n]) && (n+1 == len(s) || s[n+1] != '.') {
		n++
	}
	return n
}

// joins tells whether the character of s from byte at up to byte next, which is
// in no word itself, stands within one.
func joins(s string, at, next int) bool {
	before, after := s[at-1], s[next]
	switch s[at:next] {
	case "'", "’", "`":
		return letter(before) && letter(after) || digit(before) && lower(s[next:], "s")
	case ".":
		if digit(before) && digit(after) {
			return true
		}
		return letter(before) && letter(after) && (initial(s, at) && initial(s, next+1) || domain(s, at))
	case ",":
		return digit(before) && digit(after) && thousands(s[next:])
	case ":":
		return digit(before) && digit(after)
	case "/":
		return digit(before) && digit(after) || short(s, next)
	case "-", "‐", "‑":
		return digit(before) && digit(after) || letter(before) && letter(after) && prefix(s, at)
	case "&":
		return upper(before) && upper(after)
	}
	return false
}

// thousands tells whether a text begins with three digits, as they follow a
// comma in a number.
func thousands(s string) bool {
	return len(s) >= 3 && digit(s[0]) && digit(s[1]) && digit(s[2]) && (len(s) == 3 || !digit(s[3]))
}

// initial tells whether the letter before byte at of s stands alone, as in U.S.
func initial(s string, at int) bool {
	return at >= 1 && at <= len(s) && letter(s[at-1]) && s[at-1] < utf8.RuneSelf && (at == 1 || s[at-2] == '.') && (at == len(s) || s[at] == '.' || !letter(s[at]) && !digit(s[at]))
}

// domains are what names of hosts and of files end in.
var domains = set("com org net edu gov mil int info biz co uk us ca de fr jp au in io tv me eu ru cn nl ch it es doc xls pdf txt html htm php asp jpg png gif mp3 zip exe ppt xml csv docx xlsx")

// domain tells whether the dot at byte at of s is within the name of a host or
// file.
func domain(s string, at int) bool {
	last := at + 1
	for i := last; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.' && i+1 < len(s) && (letter(s[i+1]) || digit(s[i+1])):
			last = i + 1
			continue
		case letter(c) || digit(c) || c == '-' || c == '_':
			if i-at < 256 {
				continue
			}
		}
		return domains[fold(s[last:i])]
	}
	return domains[fold(s[last:])]
}

// short tells whether the slash before byte next of s is within an abbreviation,
// such as w/o.
func short(s string, next int) bool {
	end := next
	for end < len(s) && (letter(s[end]) || digit(s[end])) && end < next+4 {
		end++
	}
	switch fold(s[:end]) {
	case "w/o", "w/out", "l/c", "i/c", "a/c", "n/a", "c/o", "b/c":
		return true
	}
	return false
}

// prefixes are what stays one word with what follows its hyphen.
var prefixes = set("e co re pre post non anti mid multi semi sub pro ex un over inter intra neo micro socio psycho ultra pseudo counter trans bi tri uni de dis mis extra infra mega mini meta para poly quasi super tele")

// prefix tells whether the hyphen at byte at of s follows a prefix with which
// the word begins.
func prefix(s string, at int) bool {
	return at <= 7 && prefixes[fold(s[:at])]
}

// abbreviations are what a full stop belongs to.
var abbreviations = set("dr mr mrs ms st vs etc sept inc oct ft no dec nov co corp wed sat rev lt jr sr gen feb arrv thur thurs sun reps rep mon ltd jan gov fri attn aug tue tues ave blvd rd mt prof capt col sgt cpt cmdr maj adm hon messrs sen pres dept est assn bros al eg ie ext vol pp approx apt univ mar apr jun jul esq ph llc plc viz cf fig")

// abbreviated tells whether a full stop behind a word belongs to it.
func abbreviated(word string) bool {
	if len(word) == 1 {
		return upper(word[0]) && word != "I"
	}
	if len(word) > 16 {
		return false
	}
	return abbreviations[fold(word)] && !sentenceWord[word] || len(word) >= 3 && word[len(word)-2] == '.' && letter(word[len(word)-1]) && word[len(word)-1] < utf8.RuneSelf
}

// sentenceWord are words that end a sentence more often than they are short for
// another one, as they are written here.
var sentenceWord = set("no sun sat mar mon al est col co fig apt ave gen")

// startsNumber tells whether a text begins with a sign or dot that belongs to a
// number.
func startsNumber(s string) bool {
	return len(s) > 1 && (s[0] == '.' || s[0] == '+') && digit(s[1])
}

// elided tells whether a text begins with an apostrophe that belongs to a year,
// such as '90s.
func elided(s string) bool {
	n := apostrophe(s)
	return n > 0 && len(s) >= n+2 && digit(s[n]) && digit(s[n+1]) && (len(s) == n+2 || !digit(s[n+2]))
}

// apostrophe returns how many bytes of apostrophe a text begins with.
func apostrophe(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == '\'' || s[0] == '`':
		return 1
	case strings.HasPrefix(s, "’"):
		return len("’")
	}
	return 0
}

// runs are the symbols of which several stand for one.
const runs = ".!?-_*=~+#<>'`$,^|·•…"

// symbols returns how many bytes the token has that a text begins with, whose
// first character is r, of n bytes, and in no word.
func symbols(s string, r rune, n int) int {
	if ends := r == '.' || r == '!' || r == '?' || r == '…'; ends || strings.ContainsRune(runs, r) {
		for n < len(s) {
			next, size := utf8.DecodeRuneInString(s[n:])
			if alike := next == r || ends && strings.ContainsRune(".!?…", next); !alike {
				break
			}
			n += size
		}
		return n
	}
	for n < len(s) { // an emoji with what changes it, and those that are joined to it
		next, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case next == '\u200d' && r >= utf8.RuneSelf:
			n += size
			if n < len(s) && space(s[n:]) == 0 {
				_, size = utf8.DecodeRuneInString(s[n:])
				n += size
			}
		case unicode.IsMark(next) || next == '\ufe0f' || next >= 0x1f3fb && next <= 0x1f3ff || flag(r) && flag(next) && n == utf8.RuneLen(r):
			n += size
		default:
			return n
		}
	}
	return n
}

// flag tells whether a character is half of a flag.
func flag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// set returns the words of a list.
func set(words string) map[string]bool {
	s := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// fold returns a short text in lower case, and the text itself if it is long,
// because nothing that is looked up is.
func fold(s string) string {
	if len(s) > 24 {
		return s
	}
	return strings.ToLower(s)
}

// lower tells whether a text is a word in lower case letters, whatever follows
// the word.
func lower(s, word string) bool {
	return strings.HasPrefix(s, word) && (len(s) == len(word) || !letter(s[len(word)]))
}
