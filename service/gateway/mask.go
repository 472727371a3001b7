package gateway

import (
	"crypto/sha256"
	"strconv"

	"sotto/promise/mech"
	"sotto/promise/noise"
	"sotto/text"
)

// mask decides what of each text is masked. A model that was trained with word
// dropout has it here, too: the words are drawn from a stream that follows from
// the secret, and from subject, text and what releases it, so that a text that
// is asked for again is masked alike, and no other text is. Fresh noise has
// fresh masks: once names the request.
func (g *Gateway) mask(subject string, texts []string, once string) []text.Masking {
	masks := make([]text.Masking, len(texts))
	if !g.masked() {
		return masks
	}
	for i, t := range texts {
		var drop func(masked []bool)
		if g.masks.Dropout > 0 {
			digest, place := sha256.Sum256([]byte(t)), ""
			if g.Noise == Fresh {
				place = strconv.Itoa(i)
			}
			source := noise.Derive(g.Secret.key[:], version, "mask", string(g.Noise), subject, string(digest[:]), string(g.means), once, place)
			drop = func(masked []bool) { mech.DrawMasks(masked, g.masks.Dropout, g.masks.Draw, source) }
		}
		masks[i] = text.Mask(t, drop, g.Maskers...)
	}
	return masks
}

// masked reports whether anything is masked.
func (g *Gateway) masked() bool { return len(g.Maskers) > 0 || g.masks.Dropout > 0 }

// called returns what of each text has a part in the name of its release. That
// is what is left of it, so that two texts which differ in masked words alone
// are one release. With dropout it is the whole text: two texts of which the
// same is left by chance are two releases, and nobody sees that it was the same.
func (g *Gateway) called(texts []string, masks []text.Masking) []string {
	if g.masks.Dropout > 0 {
		return texts
	}
	left := make([]string, len(texts))
	for i, t := range texts {
		left[i] = text.Apply(t, masks[i], " ")
	}
	return left
}

// piece is a part of a text as the page shows it.
type piece struct {
	Text   string    `json:"text"`
	Reason text.Type `json:"reason,omitempty"` // why it is masked; empty if it is not
}

// pieces takes a text apart where it is masked. Where nothing masks, it says what
// a masker of names would find, and applied is false.
func (g *Gateway) pieces(s string, k text.Masking) (parts []piece, applied bool) {
	if !g.masked() {
		k = text.Mask(s, nil, &text.NameList{})
	}
	from := 0
	for _, f := range k.Parts {
		if f.Start > from {
			parts = append(parts, piece{Text: s[from:f.Start]})
		}
		parts = append(parts, piece{s[f.Start:f.End], f.Type})
		from = f.End
	}
	if from < len(s) {
		parts = append(parts, piece{Text: s[from:]})
	}
	return parts, g.masked()
}
