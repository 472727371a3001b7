package main

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

// maskFlags say which words are masked before a text is encoded.
type maskFlags struct {
	dropout float64
	masks   string
	list    string
	people  string
	show    string
}

func (f *maskFlags) addFlags(fs *pflag.FlagSet) {
	fs.Float64Var(&f.dropout, "dropout", 0, "probability μ of masking each word before it is encoded")
	fs.StringVar(&f.masks, "masks", string(mech.Bernoulli), "how dropout chooses: bernoulli, each word by itself, or fixed-count, as near to μ of them as can be")
	fs.StringVar(&f.list, "mask", "", "file of words and /patterns/ to mask, one a line")
	fs.StringVar(&f.people, "mask-names", "", `mask names: a file of first names, or "capitals" for capitalised words within a sentence alone`)
	fs.StringVar(&f.show, "show-masks", "", "write what was masked to this file, for your eyes only")
}

// masker returns what decides on masks, nil for none.
func (f *maskFlags) masker() (*text.Masker, error) {
	if f.dropout == 0 && f.list == "" && f.people == "" {
		if f.show != "" {
			return nil, errors.New("--show-masks has no meaning without --dropout, --mask or --mask-names")
		}
		return nil, nil //nolint:nilnil // nothing to mask is no error
	}
	m := &text.Masker{}
	if !(f.dropout >= 0 && f.dropout < 1) {
		return nil, fmt.Errorf("--dropout is %v, must be in [0, 1)", f.dropout)
	}
	masks := mech.Masks(f.masks)
	if masks != mech.Bernoulli && masks != mech.FixedCount {
		return nil, fmt.Errorf("--masks is %q, must be %s or %s", f.masks, mech.Bernoulli, mech.FixedCount)
	}
	if f.dropout > 0 {
		source := noise.Crypto()
		m.Draw = func(masked []bool) { mech.DrawMasks(masked, f.dropout, masks, source) }
	}
	var err error
	if f.list != "" {
		if m.List, err = readFile(f.list, text.ParseMaskList); err != nil {
			return nil, err
		}
	}
	switch f.people {
	case "":
	case "capitals":
		m.Names = &text.NameList{}
	default:
		if m.Names, err = readFile(f.people, text.ParseNames); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// maskShower writes what was masked to a file of the user's; the zero value
// writes nothing.
type maskShower struct {
	file *atomicfile.File
}

func (f *maskFlags) shower() (*maskShower, error) {
	if f.show == "" {
		return &maskShower{}, nil
	}
	file, err := atomicfile.Create(f.show)
	return &maskShower{file}, err
}

// show returns what takes the masks of a text: one JSON object a line.
func (s *maskShower) show() func(line int64, t string, k text.Masking) error {
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

func (s *maskShower) commit() error {
	if s.file == nil {
		return nil
	}
	return s.file.Commit()
}

func (s *maskShower) abort() {
	if s.file != nil {
		s.file.Abort()
	}
}
