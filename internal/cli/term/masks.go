package term

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"sotto/mech"
	"sotto/noise"
	"sotto/text"
)

// ListFlags say which words and names are masked, wherever they stand.
type ListFlags struct {
	List   string
	People string
}

// AddFlags declares the flags.
func (f *ListFlags) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&f.List, "mask", "", "file of words and /patterns/ to mask, one a line")
	fs.StringVar(&f.People, "mask-names", "", `file of first names to mask, or "capitals" for capitalised words within a sentence alone`)
}

// maxList bounds a file of words or names, in bytes.
const maxList = 64 << 20

// Maskers returns what the flags name. A service reads the files anew while it
// runs, so that they must be regular ones.
func (f *ListFlags) Maskers() (all []text.Masker, err error) {
	if f.List != "" {
		list, failed := readRegular(f.List, maxList, text.ParseMaskList)
		if failed != nil {
			return nil, failed
		}
		all = append(all, list)
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
	fs.StringVar(&f.Show, "show-masks", "", "file for what was masked, for your eyes only")
}

// Drop returns what draws the words that are masked at random, nil for none.
func (f *MaskFlags) Drop() (func(masked []bool), error) {
	masks := mech.Masks(f.Masks)
	switch {
	case f.Dropout == 0 && f.List == "" && f.People == "" && f.Show != "":
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

// ShowMasks returns what writes the masks of a text for the user's eyes: one JSON
// object a line.
func ShowMasks(to io.Writer) func(line int64, t string, k text.Masking) error {
	type word struct {
		Word   string    `json:"word"`
		Reason text.Type `json:"reason"`
	}
	type shown struct {
		Line   int64  `json:"line"`
		Masked []word `json:"masked"`
	}
	lines := json.NewEncoder(to)
	return func(line int64, t string, k text.Masking) error {
		s := shown{Line: line}
		for _, f := range k.Parts {
			s.Masked = append(s.Masked, word{t[f.Start:f.End], f.Type})
		}
		return lines.Encode(s)
	}
}
