package mention

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// role is the part that a pronoun plays.
type role int

const (
	personal role = iota
	possessive
	reflexive
)

// pronoun is what is known of a pronoun.
type pronoun struct {
	person int // 1, 2 or 3; 0 for what is none
	number Number
	gender Gender
	role   role
}

// pronouns are those that stand for somebody or something, in lower case.
var pronouns = func() map[string]pronoun {
	out := make(map[string]pronoun)
	for _, row := range []struct {
		words [3]string // personal, possessive, reflexive
		p     pronoun
	}{
		{[3]string{"i me i.", "my mine", "myself"}, pronoun{person: 1, number: Singular}},
		{[3]string{"we us", "our ours", "ourselves"}, pronoun{person: 1, number: Plural}},
		{[3]string{"you ye thou thee yeh y'all u", "your yours thy thine yer", "yourself yourselves thyself"}, pronoun{person: 2}},
		{[3]string{"he him", "his", "himself"}, pronoun{person: 3, number: Singular, gender: Male}},
		{[3]string{"she", "her hers", "herself"}, pronoun{person: 3, number: Singular, gender: Female}},
		{[3]string{"it", "its", "itself"}, pronoun{person: 3, number: Singular, gender: Neuter}},
		{[3]string{"they them 'em", "their theirs", "themselves themself"}, pronoun{person: 3, number: Plural}},
	} {
		for k, words := range row.words {
			for word := range strings.FieldsSeq(words) {
				p := row.p
				p.role = role(k)
				out[word] = p
			}
		}
	}
	return out
}()

// titles may stand before a name and say of somebody what is no name, with the gender
// that they tell.
var titles = func() map[string]Gender {
	out := make(map[string]Gender)
	for gender, words := range map[Gender]string{
		Male: `mr mister sir lord king prince duke earl count baron herr monsieur m messrs señor don signor uncle father brother
fr abbe pope emperor squire sheikh bishop cardinal`,
		Female: `mrs ms miss dame lady queen princess duchess countess baroness frau fräulein madame mme mademoiselle mlle madam
señora signora aunt mother sister empress`,
		"": `mx dr doctor prof professor rev reverend capt captain col colonel gen general lt lieutenant sgt sergeant major maj admiral
commander cmdr corporal private president senator judge justice governor mayor minister chancellor chief inspector detective
officer constable superintendent saint coach hon sen rep gov pres ambassador archbishop deacon rabbi imam marshal master`,
	} {
		for word := range strings.FieldsSeq(words) {
			out[word] = gender
		}
	}
	return out
}()

// suffixes stand behind a name and tell two of one name apart.
var suffixes = map[string]bool{"jr": true, "sr": true, "ii": true, "iii": true, "iv": true, "v": true, "vi": true, "vii": true, "viii": true, "esq": true, "md": true, "phd": true}

// particles are parts of surnames, which are no names alone.
var particles = map[string]bool{"de": true, "del": true, "della": true, "da": true, "di": true, "du": true, "la": true, "le": true, "van": true, "von": true, "der": true, "den": true, "ten": true, "bin": true, "ibn": true, "al": true, "el": true, "of": true, "the": true, "and": true, "y": true, "st": true}

// speech are verbs, as lemmas, whose subject says what stands in quotes.
var speech = setOf(`say ask reply answer cry exclaim whisper shout murmur mutter remark observe continue add return call declare explain
repeat inquire enquire demand begin respond tell announce suggest think interrupt protest rejoin retort sigh gasp growl laugh
urge insist admit agree assure beg cried echo mumble persist plead pronounce speak state write`)

func setOf(words string) map[string]bool {
	out := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// indefinite are words that begin a mention of somebody new.
var indefinite = setOf("a an another some any no every each one two three four five several many few all most both either neither such what")

// definite are words that begin a mention of somebody known.
var definite = setOf("the this that these those")

func startsCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}
