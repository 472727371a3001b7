package term

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"sotto/internal/atomicfile"
	"sotto/mech"
	"sotto/noise"
	"sotto/text"
)

// MaskFlags say which words are masked before a text is encoded.
type MaskFlags struct {
	Dropout float64
	Masks   string
	List    string
	People  string
	Show    string
}

// AddFlags declares the flags.
func (f *MaskFlags) AddFlags(fs *pflag.FlagSet) {
	fs.Float64Var(&f.Dropout, "dropout", 0, "probability μ of masking each word before it is encoded (default: no masking)")
	fs.StringVar(&f.Masks, "masks", string(mech.Bernoulli), "how dropout chooses words: bernoulli, each word by itself, or fixed-count, as near to a share of μ as can be")
	fs.StringVar(&f.List, "mask", "", "file of words and /patterns/ to mask, one a line")
	fs.StringVar(&f.People, "mask-names", "", `file of first names to mask, or "capitals" for capitalised words within a sentence alone`)
	fs.StringVar(&f.Show, "show-masks", "", "file for what was masked, for your eyes only")
}

// Masker returns what decides on masks, nil for none.
func (f *MaskFlags) Masker() (*text.Masker, error) {
	if f.Dropout == 0 && f.List == "" && f.People == "" {
		if f.Show != "" {
			return nil, errors.New("--show-masks has no meaning without --dropout, --mask or --mask-names")
		}
		return nil, nil //nolint:nilnil // nothing to mask is no error
	}
	m := &text.Masker{}
	if !(f.Dropout >= 0 && f.Dropout < 1) {
		return nil, fmt.Errorf("--dropout is %v, must be in [0, 1)", f.Dropout)
	}
	masks := mech.Masks(f.Masks)
	if masks != mech.Bernoulli && masks != mech.FixedCount {
		return nil, fmt.Errorf("--masks is %q, must be %s or %s", f.Masks, mech.Bernoulli, mech.FixedCount)
	}
	if f.Dropout > 0 {
		source := noise.Crypto()
		m.Draw = func(masked []bool) { mech.DrawMasks(masked, f.Dropout, masks, source) }
	}
	var err error
	if f.List != "" {
		if m.List, err = ReadFile(f.List, text.ParseMaskList); err != nil {
			return nil, err
		}
	}
	switch f.People {
	case "":
	case "capitals":
		m.Names = &text.NameList{}
	default:
		if m.Names, err = ReadFile(f.People, text.ParseNames); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// MaskShower writes what was masked to a file of the user's; the zero value
// writes nothing.
type MaskShower struct {
	file *atomicfile.File
}

// Shower begins the file of --show-masks, if there is one.
func (f *MaskFlags) Shower() (*MaskShower, error) {
	if f.Show == "" {
		return &MaskShower{}, nil
	}
	file, err := atomicfile.Create(f.Show)
	return &MaskShower{file}, err
}

// Show returns what takes the masks of a text: one JSON object a line.
func (s *MaskShower) Show() func(line int64, t string, k text.Masking) error {
	if s.file == nil {
		return nil
	}
	return func(line int64, t string, k text.Masking) error {
		type word struct {
			Word   string      `json:"word"`
			Reason text.Reason `json:"reason"`
		}
		shown := struct {
			Line   int64  `json:"line"`
			Masked []word `json:"masked"`
		}{Line: line}
		for i, masked := range k.Masked {
			if masked {
				shown.Masked = append(shown.Masked, word{t[k.Spans[i].Start:k.Spans[i].End], k.Reason[i]})
			}
		}
		b, err := json.Marshal(shown)
		if err != nil {
			return err
		}
		_, err = s.file.Write(append(b, '\n'))
		return err
	}
}

// Commit makes the file appear.
func (s *MaskShower) Commit() error {
	if s.file == nil {
		return nil
	}
	return s.file.Commit()
}

// Abort removes a file that did not appear.
func (s *MaskShower) Abort() {
	if s.file != nil {
		s.file.Abort()
	}
}
