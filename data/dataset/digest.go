package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
	"unicode"

	"sotto/text"
)

// Digest knows a row or a person again. It is a plain hash of what may be guessed, so
// that it stays in memory: a file holds it keyed by a secret.
type Digest [sha256.Size]byte

// RowDigest is that of a text, of which a masking says what a model does not see, and
// of the numbers beside it, NaN for none. White space, capitals and accents count for
// nothing, as they do to encoders that fold them, and what stands in the place of a
// masked part does not either: a row that a model could hardly tell from another must
// not pass for a new one.
func RowDigest(s string, masked text.Masking, numbers []float32) Digest {
	return rowDigest("row\x00", shown(s, masked), numbers)
}

// BrokenDigest is that of a row where signs beyond ASCII are one like another, in runs,
// as in a file that is read in another encoding than its own, which leaves U+FFFD in
// their place. It is false for a text of ASCII, of which there is no other reading.
func BrokenDigest(s string, masked text.Masking, numbers []float32) (Digest, bool) {
	if !strings.ContainsFunc(s, beyondASCII) {
		return Digest{}, false
	}
	var left strings.Builder
	lost := false
	for _, r := range shown(s, masked) {
		if !beyondASCII(r) {
			left.WriteRune(r)
		} else if !lost {
			left.WriteRune('\u25a1')
		}
		lost = beyondASCII(r)
	}
	return rowDigest("broken row\x00", left.String(), numbers), true
}

func beyondASCII(r rune) bool { return r > unicode.MaxASCII }

// shown is what a masking leaves of a text.
func shown(s string, masked text.Masking) string {
	hidden := text.Masking{Words: masked.Words, Parts: append([]text.Found(nil), masked.Parts...)}
	for k := range hidden.Parts {
		hidden.Parts[k].As = ""
	}
	return text.Apply(s, hidden, " \u25a1 ")
}

func rowDigest(kind, shown string, numbers []float32) Digest {
	b := append([]byte(kind), folded(shown)...)
	b = append(b, 0)
	for _, x := range numbers {
		if x != x { //nolint:gocritic // NaN stands for no number, and all NaN are one
			x = float32(math.NaN())
		}
		if x == 0 {
			x = 0 // without the sign
		}
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return sha256.Sum256(b)
}

// PersonDigest is that of a person's name, however its capitals, accents and spaces
// are written.
func PersonDigest(name string) Digest {
	return sha256.Sum256(append([]byte("person\x00"), folded(name)...))
}

// folded writes a text in one way. The zero byte, which ends it, is not in it.
func folded(s string) string {
	fields := strings.Fields(FoldName(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", " "), "\ufffd")))
	for k, f := range fields {
		// A sign of which nothing is left still tells two texts apart.
		if short := text.Fold(f); short != "" {
			fields[k] = short
		}
	}
	return strings.Join(fields, " ")
}
