package feature

import (
	"strings"

	"sotto/study/language"
)

// cue is a lexical sign of a conversation.
type cue struct {
	name  string
	words map[string]bool // in small letters, by their text or their lemma
	// opens asks that the word begins its sentence.
	opens bool
}

// cues are those of one word. After Oraby and others (2017), with the spellings of
// messages.
var cues = []cue{
	{"greeting", set("hi hello hey hiya howdy greetings dear gm"), false},
	{"thanks", set("thank thanks thx thnx tks ty thankyou appreciate grateful kudos"), false},
	{"apology", set("sorry apology apologies apologise apologize pardon forgive regret oops"), false},
	{"second-person", set("you your yours yourself yourselves u ur ya yall y'all"), false},
	{"no", set("no nope nah"), false},
	{"negation", set("not n't nt never none nothing nobody nowhere neither nor cannot without"), false},
	{"yes-no-question", set("do does did can could will would should is are was were have has had may might shall am don't"), true},
	{"wh-question", set("who what where when why which how whose whom"), true},
}

// before are words that stand before what is asked.
var before = set("hi hello hey so and but well ok okay also please")

// pairs are cues of two words.
var pairs = map[string]string{
	"good morning": "greeting", "good afternoon": "greeting", "good evening": "greeting", "good day": "greeting",
	"excuse me": "apology",
}

// cues adds what is said to somebody. The first word of a sentence is the first that
// is no handle and no sign.
func (s *sheet) cues(taken cover) {
	tokens := s.document.Tokens
	opened := -1 // the last sentence whose first word was seen
	for i, t := range tokens {
		low := strings.ToLower(t.Text)
		for at := 0; at < len(t.Text) && !taken.has(t, language.URL); at++ {
			if sign := t.Text[at]; sign == '!' || sign == '?' {
				s.add(Conversation, "cue:"+string(sign), Span{t.Start + at, t.Start + at + 1})
			}
		}
		if !wordy(t.Text) || s.handle(i) || taken.has(t, language.Username, language.URL, language.Email) {
			continue
		}
		first := opened < t.Sentence
		opened = t.Sentence
		if i+1 < len(tokens) {
			if name := pairs[low+" "+strings.ToLower(tokens[i+1].Text)]; name != "" {
				s.add(Conversation, "cue:"+name, Span{t.Start, tokens[i+1].End})
				continue
			}
		}
		for _, c := range cues {
			if (!c.opens || first) && (c.words[low] || !c.opens && c.words[strings.ToLower(t.Lemma)]) {
				s.add(Conversation, "cue:"+c.name, place(t))
			}
		}
		if first && before[low] {
			opened = t.Sentence - 1
		}
	}
}
