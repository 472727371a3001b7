package learn

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/learn/experiment"
)

// FileFlags declares the flags of a spec that say where a file of one's own is
// and what its columns are.
func FileFlags(fs *pflag.FlagSet, s *experiment.Spec, name *string) {
	for _, f := range s.Fields() {
		switch {
		case f.Flag == "label" || f.Flag == "attribute":
			term.AddFlag(fs, f.Value, f.Flag, "column of the "+f.Flag+" of --in")
		case f.OfFile || f.Flag == "in":
			term.AddFlag(fs, f.Value, f.Flag, f.Help)
		}
	}
	moreFileFlags(fs, name)
}

// moreFileFlags declares what is no setting of a spec.
func moreFileFlags(fs *pflag.FlagSet, name *string) {
	fs.StringVar(name, "name", "", "name of the rows of --in in results and on pages (default: own)")
	term.ColumnIsText(fs)
}

// SpecFlags declares a flag for every setting of a spec but those without, which
// are named as in JSON, with --column as another name of --text, and --name for
// the rows of a file.
func SpecFlags(fs *pflag.FlagSet, s *experiment.Spec, name *string, without ...string) {
	for _, f := range s.Fields() {
		if f.SetDefault(); !slices.Contains(without, f.Name) {
			term.AddFlag(fs, f.Value, f.Flag, f.Help)
		}
	}
	moreFileFlags(fs, name)
}

// SettleSpec completes a spec from its flags once these are parsed: --in takes the
// place of the default of --data.
func SettleSpec(fs *pflag.FlagSet, s *experiment.Spec, name string) error {
	switch {
	case s.In == "":
		names := []string{"name"}
		for _, f := range s.Fields() {
			if f.OfFile {
				names = append(names, f.Flag)
			}
		}
		return term.Refuse(fs, "without --in", names...)
	case fs.Changed("data"):
		return errors.New("--data and --in are given, must be one of them")
	}
	s.Data = name
	return nil
}
