package term

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"sotto/internal/layout"
	"sotto/internal/regular"
	"sotto/promise/mech"
	"sotto/promise/noise"
	"sotto/text"
)

// ListFlags say which words and names are masked, wherever they stand.
type ListFlags struct {
	Lists  []string // files of words, and types
	People string
	Policy string
	Secret string
	Told   string // folder of a model of relations
}

// AddFlags declares the flags.
func (f *ListFlags) AddFlags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.Lists, "mask", nil, "file of words and /patterns/ to mask, one a line, or types of personal data such as types:email,phone=fake (see the masks of docs/encode.md); may be given several times")
	fs.StringVar(&f.People, "mask-names", "", `file of first names to mask, or "capitals" for capitalised words within a sentence alone`)
	fs.StringVar(&f.Policy, "mask-policy", "tag", "what stands in the place of --mask types without a policy of their own: remove, tag, pseudonym or fake")
	fs.StringVar(&f.Told, "mask-relations", "", "folder of a model of sotto relations train whose relations are types of --mask, as in types:relation:Work_For (default: those that are built in)")
	fs.StringVar(&f.Secret, "mask-secret", "", "file of at least 16 random bytes, readable by you alone, under which pseudonyms and fakes are the same in all texts (default: the same within a text)")
}

// Files returns the files that the flags name, by their flags.
func (f *ListFlags) Files() []NamedPath {
	files := []NamedPath{Named("--mask-secret", f.Secret)}
	for _, list := range f.Lists {
		if !text.IsTypes(list) {
			files = append(files, Named("--mask", list))
		}
	}
	return files
}

// MaskHelp says in a help text what --mask types: takes; nothing if there are no types.
func MaskHelp(known text.Types) string {
	if known == nil {
		return ""
	}
	lines := layout.Fold("--mask types: masks personal data for what it is, by a list such as types:email,phone=fake. The types are "+
		strings.Join(known.Known(), ", ")+". Those of relations are what a text tells of a person, such as the firm in I work at Acme; with --mask-relations they are those of a model of your own. In its place stands the type, as in [EMAIL], unless it has another policy: remove, pseudonym, or fake, "+
		"which looks alike. It promises nothing: what is not found stays in, and ε alone promises.", 80)
	return strings.Join(lines, "\n") + "\n"
}

// Any reports whether anything is masked.
func (f *ListFlags) Any() bool { return len(f.Lists) > 0 || f.People != "" }

// maxList bounds a file of words or names, in bytes.
const maxList = 64 << 20

// Maskers returns what the flags name. A service reads the files anew while it
// runs, so that they must be regular ones.
func (f *ListFlags) Maskers(ctx context.Context) (all []text.Masker, err error) {
	typed := 0
	for _, given := range f.Lists {
		if text.IsTypes(given) {
			if typed++; typed > 1 {
				return nil, errors.New("--mask types: is given several times, must be one list of types separated by commas")
			}
			m, failed := f.types(ctx, given)
			if failed != nil {
				return nil, failed
			}
			all = append(all, m)
			continue
		}
		list, failed := readRegular(given, maxList, text.ParseMaskList)
		if failed != nil {
			return nil, failed
		}
		all = append(all, list)
	}
	if typed == 0 && f.Told != "" {
		return nil, errors.New("--mask-relations has no meaning without types in --mask, such as types:relations")
	}
	if typed == 0 && (f.Secret != "" || f.Policy != "" && f.Policy != "tag") {
		return nil, errors.New("--mask-policy and --mask-secret have no meaning without types in --mask")
	}
	names := &text.NameList{}
	switch f.People {
	case "":
		return all, nil
	case "capitals":
	default:
		if names, err = readRegular(f.People, maxList, text.ParseNames); err != nil {
			return nil, err
		}
	}
	return append(all, names), nil
}

// types makes the masker of a list of types.
func (f *ListFlags) types(ctx context.Context, given string) (text.Masker, error) {
	var secret []byte
	if f.Secret != "" {
		file, err := regular.OpenSecret(f.Secret, maxSecret)
		if err != nil {
			return nil, fmt.Errorf("--mask-secret: %w", err)
		}
		defer file.Close() //nolint:errcheck // it was only read
		if secret, err = io.ReadAll(file); err != nil {
			return nil, fmt.Errorf("--mask-secret: %w", err)
		}
	}
	return text.OpenTypes(ctx, given, text.TypesOptions{Policy: f.Policy, Secret: secret, Relations: f.Told})
}

// maxSecret bounds a file of a secret, in bytes.
const maxSecret = 1 << 12

// MaskFlags say what is masked before a text is encoded, at random, too.
type MaskFlags struct {
	ListFlags
	Dropout float64
	Masks   string
	Show    string
}

// AddFlags declares the flags.
func (f *MaskFlags) AddFlags(fs *pflag.FlagSet) {
	fs.Float64Var(&f.Dropout, "dropout", 0, "probability μ of masking each word before it is encoded (default: no masking)")
	fs.StringVar(&f.Masks, "masks", string(mech.Bernoulli), "how dropout chooses words: bernoulli, each word by itself, or fixed-count, as near to a share of μ as can be")
	f.ListFlags.AddFlags(fs)
	fs.StringVar(&f.Show, "show-masks", "", "file for what was masked, for your eyes only; of --mask types: where and of which type, never what")
}

// Drop returns what draws the words that are masked at random, nil for none.
func (f *MaskFlags) Drop() (func(masked []bool), error) {
	masks := mech.Masks(f.Masks)
	switch {
	case f.Dropout == 0 && !f.Any() && f.Show != "":
		return nil, errors.New("--show-masks has no meaning without --dropout, --mask or --mask-names")
	case !(f.Dropout >= 0 && f.Dropout < 1):
		return nil, fmt.Errorf("--dropout is %v, must be in [0, 1)", f.Dropout)
	case masks != mech.Bernoulli && masks != mech.FixedCount:
		return nil, fmt.Errorf("--masks is %q, must be %s or %s", f.Masks, mech.Bernoulli, mech.FixedCount)
	case f.Dropout == 0:
		return nil, nil //nolint:nilnil // nothing to draw is no error
	}
	source := noise.Crypto()
	return func(masked []bool) { mech.DrawMasks(masked, f.Dropout, masks, source) }, nil
}

// MaskPart says where a part of a text was masked, and why.
type MaskPart struct {
	Word   string    `json:"word,omitempty"`
	Reason text.Type `json:"reason,omitempty"`
	Type   text.Type `json:"type"`
	Start  int       `json:"start"` // bytes of the text
	End    int       `json:"end"`
}

// MaskParts returns what was masked in a text, without what it was.
func MaskParts(k text.Masking) []MaskPart {
	parts := make([]MaskPart, len(k.Parts))
	for i, f := range k.Parts {
		parts[i] = MaskPart{Type: f.Type, Start: f.Start, End: f.End}
	}
	return parts
}

// ShowMasks returns what writes the masks of a text for the user's eyes: one JSON
// object a line. Of a part that was masked for its type it says where it was, and
// never what.
func ShowMasks(to io.Writer) func(line int64, t string, k text.Masking) error {
	type shown struct {
		Line   int64      `json:"line"`
		Masked []MaskPart `json:"masked"`
	}
	lines := json.NewEncoder(to)
	return func(line int64, t string, k text.Masking) error {
		s := shown{line, MaskParts(k)}
		for i, f := range k.Parts {
			if !Typed(f.Type) {
				s.Masked[i].Word, s.Masked[i].Reason = t[f.Start:f.End], f.Type
			}
		}
		return lines.Encode(s)
	}
}

// Typed reports whether a part of some type was masked for what it is, and not by a
// list, a rule of thumb or at random.
func Typed(t text.Type) bool {
	return t != text.Dropout && t != text.Listed && t != text.Pattern && t != text.Name
}
