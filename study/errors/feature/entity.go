package feature

import (
	"strings"
	"unicode"

	"sotto/study/language"
)

// The types of entities beside those of package language.
const (
	moment   = "time"
	cardinal = "cardinal"
	money    = "money"
	percent  = "percent"
)

// cover says which entity each token is of, by where it begins; "" for none.
type cover map[int]language.Type

// has reports whether a token is of one of some types.
func (c cover) has(t language.Token, types ...language.Type) bool {
	is := c[t.Start]
	for _, want := range types {
		if is == want {
			return true
		}
	}
	return false
}

// entities adds entities by their type, and returns which token is of which. Times,
// amounts and other numbers, which package language does not look for, are found by
// their words.
func (r *Reader) entities(s *sheet) cover {
	taken, tokens := cover{}, s.document.Tokens
	at := 0
	for _, e := range s.document.Entities { // which are in order, as tokens are
		s.add(Entity, "entity:"+string(e.Type), Span{e.Start, e.End})
		for ; at < len(tokens) && tokens[at].Start < e.End; at++ {
			if tokens[at].Start >= e.Start {
				taken[tokens[at].Start] = e.Type
			}
		}
	}
	for i := 0; i < len(tokens); i++ {
		if taken[tokens[i].Start] != "" {
			continue
		}
		kind, end := quantity(tokens, i)
		if kind == "" {
			continue
		}
		s.add(Entity, "entity:"+string(kind), Span{tokens[i].Start, tokens[end-1].End})
		for ; i < end-1; i++ {
			taken[tokens[i].Start] = kind
		}
		taken[tokens[i].Start] = kind
	}
	return taken
}

// quantity returns what kind of time, date or number begins at token i, "" for none,
// and the token behind it.
func quantity(tokens []language.Token, i int) (kind language.Type, end int) {
	word := strings.ToLower(tokens[i].Text)
	next := func(k int) string {
		if i+k >= len(tokens) {
			return ""
		}
		return strings.ToLower(tokens[i+k].Text)
	}
	switch {
	case days[word] && unicode.IsLetter(rune(word[0])):
		return language.Date, i + 1
	case parts[word]:
		return moment, i + 1
	case currencies[word] && digital(next(1)):
		return money, i + 2
	case clock(word) && halves[next(1)]:
		return moment, i + 2
	case clock(word):
		return moment, i + 1
	case tokens[i].XPOS != "CD":
		return "", i
	}
	after := strings.TrimSuffix(next(1), ".")
	switch {
	case units[after] || halves[after]:
		return moment, i + 2
	case spans[after]:
		return language.Date, i + 2
	case after == "%" || after == "percent":
		return percent, i + 2
	case currencies[after]:
		return money, i + 2
	}
	return cardinal, i + 1
}

// digital reports whether a word begins with a digit.
func digital(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

// clock reports whether a word is a time of day such as 5:30, 5pm or 5:30pm, or a
// number of hours or minutes written together, such as 2hrs.
func clock(word string) bool {
	if !digital(word) {
		return false
	}
	number := strings.TrimLeft(word, "0123456789")
	if rest, ok := strings.CutPrefix(number, ":"); ok && digital(rest) {
		number = strings.TrimLeft(rest, "0123456789")
		return number == "" || halves[number]
	}
	return halves[number] || units[number]
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

var (
	days = set(`today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday
		mon tue tues wed thu thur thurs fri january february april june july august september
		october november december weekend`)
	parts      = set("tonight morning afternoon evening noon midnight midday")
	halves     = set("am pm a.m p.m a.m. p.m. o'clock")
	units      = set("second seconds sec secs minute minutes min mins hour hours hr hrs h")
	spans      = set("day days week weeks month months year years yr yrs")
	currencies = set("$ £ € usd eur gbp dollar dollars pounds euros bucks cents")
)
