// Package rule finds relations in texts by patterns that a person can read: who works
// for whom, who lives where.
//
// A rule is a relation and a pattern. There are two kinds of patterns. One is over the
// tokens of a sentence:
//
//	<person>=subject "," []{0,3} [lemma:head|chief] of <org>=object
//
// Its pieces stand one behind another:
//
//	word  "word"      a token that is written so, in small or large letters
//	[lemma:work]      a token with that lemma; the keys are below
//	[]                any token
//	<person>  <>      a whole entity of that type; of any type
//	a b  (a | b)      one after the other; one or the other
//	+ * ? {2} {2,} {2,5}   how often what is before it stands there
//	=subject =object  what is before it is that argument
//
// The other kind is over the tree of a sentence, as package language draws it with the
// relations of Universal Dependencies:
//
//	{lemma:work} >nsubj {ner:PERSON}=subject >obl:for {ner:ORG}=object
//
// All links of a node start at that node; ({…} >case {…}) in brackets is a node with links
// of its own. A link is > to a dependant, < to the head, >> to what is anywhere below, <<
// to what is anywhere above, and ! before a link says that there is none. Behind it stand
// relations, those of the lower of the two tokens to its head: nsubj|obj is one of them,
// nsubj:* is nsubj with any subtype, obl:for is obl with the preposition for, and prep_for
// is obl or nmod with it. Without relations, any will do. An argument is the entity in
// which the token lies, or else the token alone.
//
// Between [ ] and { } stand tests that all must hold, with & between them and ! before
// what must not: [tag:/VB.?/ & !lemma:be|have]. The keys are word and lemma, in small or
// large letters; form, which is the word as it is written; tag, of the Penn treebank or
// universal; and ner, the type of the entity, or none. A value is a word, or text in
// quotation marks, or /an expression/ as package regexp has them, which must fit the whole.
// Without a lemma, the word itself is taken.
//
// A match lies within one sentence. A rule gives every pair of arguments for which it
// matches, except pairs that lie within another of its pairs. Patterns become automata
// that are walked once a sentence, and never try again: time is bounded by the size of
// the pattern and the number of ways in which arguments can lie in a sentence, and where
// that is too large, by [ErrBudget].
//
// Rules are kept in files, with sentences beside each that it must match or must not:
// see [Parse]. It promises no privacy: what is found in a text is as private as the text.
package rule
