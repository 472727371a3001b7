package language

import "strings"

// clitics are what stands behind an apostrophe and is a word of its own.
var clitics = set("s re ve ll d m")

// fusions are words that are written as one without an apostrophe, and how
// many bytes the first of them has.
var fusions = map[string]int{
	"cannot": 3, "gonna": 3, "wanna": 3, "gotta": 3, "gimme": 3, "lemme": 3, "dunno": 2,
	"dont": 2, "cant": 2, "wont": 2, "didnt": 3, "doesnt": 4, "isnt": 2, "wasnt": 3, "couldnt": 5, "wouldnt": 5,
	"shouldnt": 6, "havent": 4, "hasnt": 3, "hadnt": 3, "arent": 3, "werent": 4, "aint": 2,
	"im": 1, "ive": 1, "youre": 3, "youve": 3, "theyre": 4, "thats": 4, "whats": 4, "theres": 5, "hes": 2, "shes": 3, "elses": 4,
}

// units are what is a word of its own behind a number.
var units = set("am pm km kg lb lbs ft mi mm cm hr hrs min mins mg ml mph gb mb kb ghz mhz kw mw oz yr yrs sqft x k")

// split adds the words of which what stands from start to end is made.
func (t *tokeniser) split(start, end int) {
	s := t.text[start:end]
	if n := fused(s); n > 0 {
		t.add(start, start+n, false)
		t.add(start+n, end, true)
		return
	}
	if n := number(s); n > 0 {
		t.add(start, start+n, false)
		t.add(start+n, end, false)
		return
	}
	t.add(start, end, false)
}

// fused returns how many bytes the first of two fused words has, and 0 if they
// are not two.
func fused(s string) int {
	if len(s) < 2 || len(s) > 64 {
		return 0
	}
	if n := fusions[fold(s)]; n > 0 && s != "IM" && s != "IVE" {
		return n
	}
	at := strings.LastIndexAny(s, "'’`")
	if at <= 0 {
		return 0
	}
	mark := apostrophe(s[at:])
	behind := fold(s[at+mark:])
	if behind == "t" && at >= 2 && (s[at-1] == 'n' || s[at-1] == 'N') {
		return at - 1
	}
	if years := digit(s[at-1]) && behind == "s" && at >= 4; clitics[behind] && !years { // 1990's is one word
		return at
	}
	return 0
}

// number returns how many bytes the number has that stands before a unit, and
// 0 if what is given is nothing like that.
func number(s string) int {
	if len(s) > 24 || !digit(s[0]) {
		return 0
	}
	n := 0
	for n < len(s) && (digit(s[n]) || s[n] == '.' || s[n] == ',' || s[n] == ':' || s[n] == '-') {
		n++
	}
	if n < len(s) && units[strings.TrimSuffix(fold(s[n:]), ".")] {
		return n
	}
	return 0
}
