// Package personal finds typed personal data in texts: e-mail addresses, phone
// numbers, cards, bank accounts, national identity numbers, addresses of
// networks and of streets, dates and the like, each with its place in bytes,
// its type and a confidence.
//
// It goes by grammar and by checksum, in one pass over the text and without a
// model, so names of people are not its business; package names finds them.
// Recall comes first: what may well identify somebody is found, and the
// confidence says how sure that is. No guarantee rests on it: what it misses is
// as exposed as it was.
//
// The smallest use is
//
//	for _, f := range personal.Find("Write to ada@example.org") {
//		… // f.Type is personal.Email, f.Start 9, f.End 24
//	}
package personal

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"sotto/study/language"
)

// The types that Find knows.
const (
	Email      = language.Email
	Phone      = language.Phone
	Card       = language.Card               // number of a payment card
	IBAN       = language.IBAN               // international bank account number
	Account    = language.Type("account")    // number of a bank account that is no IBAN
	SSN        = language.SSN                // social security number of the United States
	NationalID = language.Type("nationalid") // identity, tax or insurance number of another country
	Passport   = language.Type("passport")
	Licence    = language.Type("licence") // driving licence
	Plate      = language.Type("plate")   // number plate of a vehicle
	IP         = language.IP
	MAC        = language.Type("mac") // hardware address of a network card
	URL        = language.URL
	Username   = language.Username
	Crypto     = language.Type("crypto") // address of a cryptocurrency
	Date       = language.Date
	Age        = language.Type("age")
	Address    = language.Address // street address or post box
	Postcode   = language.Type("postcode")
	Title      = language.Type("title") // before a name, such as Mrs.
)

// Types returns all types, in the order in which people think of them.
func Types() []language.Type {
	return []language.Type{
		Email, Phone, Card, IBAN, Account, SSN, NationalID, Passport, Licence, Plate,
		IP, MAC, URL, Username, Crypto, Date, Age, Address, Postcode, Title,
	}
}

// Found is one piece of personal data of a text.
type Found struct {
	Type       language.Type
	Kind       string  // more than the type tells, such as "visa" or "birth"; may be empty
	Start, End int     // bytes of the text
	Confidence float64 // of Type, in (0, 1]
	Checked    bool    // a checksum that chance seldom passes was right
}

// Confidences, by what speaks for a finding. They are rules of thumb and no
// frequencies: how often each type was right on a public set is measured by
// the command language evaluate.
const (
	certain  = 0.99 // grammar and checksum
	strong   = 0.95 // a grammar that little else fits
	likely   = 0.85
	probable = 0.7 // a loose grammar with a word nearby that speaks for it
	weak     = 0.5
)

// Find returns the personal data of s, in order and without overlap. It never
// fails: bytes that are not UTF-8 belong to nothing that is found. Its time is
// linear in the length of s, whatever s holds.
func Find(s string) []Found {
	sc := scanner{s: s}
	for i := range sc.seen {
		sc.seen[i] = never
	}
	sc.scan()
	return settle(sc.found)
}

// settle orders candidates and keeps the better of two that overlap. Parts of
// one street address become one.
func settle(found []Found) []Found {
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(a.Start, b.Start) })
	kept := found[:0]
	for _, f := range found {
		if len(kept) == 0 || f.Start >= kept[len(kept)-1].End {
			kept = append(kept, f)
			continue
		}
		last := &kept[len(kept)-1]
		switch {
		case f.Type == Address && last.Type == Address:
			last.End = max(last.End, f.End)
			last.Confidence = max(last.Confidence, f.Confidence)
		case better(f, *last):
			*last = f
		}
	}
	return kept
}

// better reports whether a is kept where a and b overlap: a checksum beats a
// grammar, then the longer one wins, then the surer one.
func better(a, b Found) bool {
	if a.Checked != b.Checked {
		return a.Checked
	}
	if la, lb := a.End-a.Start, b.End-b.Start; la != lb {
		return la > lb
	}
	return a.Confidence > b.Confidence
}

// Annotator adds the personal data of a document's text to its entities. The
// zero value is ready, and several goroutines may use it. It comes after
// annotators that find names, and joins what they found with its own.
type Annotator struct{}

// Annotate implements [language.Annotator].
func (Annotator) Annotate(d *language.Document) error {
	d.Entities = Join(d.Text, d.Entities, Find(d.Text))
	return nil
}

// Join puts names of a model and findings of a grammar together, in order and
// without overlap. A sure finding beats a name, of which what is left beside it
// stays; of a name and a finding that is not sure, the longer one stays.
// Addresses that overlap become one.
func Join(text string, names []language.Entity, found []Found) []language.Entity {
	all := make([]Found, 0, len(names)+len(found))
	k := 0
	for _, n := range names {
		for k < len(found) && found[k].End <= n.Start {
			k++
		}
		for j := k; j < len(found) && found[j].Start < n.End && n.Start < n.End; j++ {
			f := found[j]
			switch {
			case f.Confidence < likely:
			case f.Type != n.Type:
				n = beside(text, n, f)
			case f.Type == Address && n.Start < f.Start && n.End <= len(text) && addressee(text[n.Start:f.Start]):
				n.Start = f.Start
			}
		}
		if n.Start < n.End {
			all = append(all, Found{Type: n.Type, Start: n.Start, End: n.End, Confidence: n.Confidence})
		}
	}
	for _, f := range found {
		f.Kind = ""
		f.Checked = f.Checked || f.Confidence >= likely // surer than any model
		all = append(all, f)
	}
	var joined []language.Entity
	for _, f := range settle(all) {
		joined = append(joined, language.Entity{Type: f.Type, Start: f.Start, End: f.End, Confidence: f.Confidence})
	}
	return joined
}

// addressee reports whether what a model took for the beginning of an address is
// rather who lives there: without a number, and set off by a comma or a line.
func addressee(part string) bool {
	return strings.ContainsAny(part, ",\n") && !strings.ContainsAny(part, "0123456789")
}

// beside returns what is left of a name beside a finding: the longer side, less
// what separates the two; nothing if it has no letter.
func beside(text string, n language.Entity, f Found) language.Entity {
	before, after := n, n
	before.End, after.Start = max(n.Start, min(n.End, f.Start)), min(n.End, max(n.Start, f.End))
	rest := before
	if after.End-after.Start > before.End-before.Start {
		rest = after
	}
	if rest.Start >= rest.End || rest.End > len(text) {
		return language.Entity{}
	}
	const separators = " \t\r\n.,;:-()"
	part := text[rest.Start:rest.End]
	rest.Start += len(part) - len(strings.TrimLeft(part, separators))
	rest.End -= len(part) - len(strings.TrimRight(part, separators))
	if rest.Start >= rest.End || !strings.ContainsFunc(text[rest.Start:rest.End], unicode.IsLetter) {
		return language.Entity{}
	}
	return rest
}
