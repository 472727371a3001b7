// Package data holds the command data, which lists data sets, gets them, and looks
// at files of people's own.
package data

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/internal/layout"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newData(std)}
}

// dataOptions are the flags that the commands of "sotto data" share.
type dataOptions struct {
	dir  string
	json bool
}

func (o *dataOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.dir, "dir", "", "folder of data sets (default: $SOTTO_DATA, else the folder sotto where your system keeps the data of a user)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// folder returns the folder of data sets.
func (o *dataOptions) folder() string {
	if o.dir == "" {
		return dataset.Dir()
	}
	return o.dir
}

func newData(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{
		Use:   "data",
		Short: "List, verify and get data sets, and look at files of your own",
		Long: `Data sets for training and attacks. None is part of sotto: each keeps its own
licence, lies in the folder that SOTTO_DATA names, and is known by the SHA-256 of
its files. The set "reviews" is built in and needs no file. Files of your own need
no entry: "sotto data inspect" says how they are understood.`,
	}, newDataList(std), newDataVerify(std), newDataGet(std), newDataSample(std), newInspect(std))
}

func newDataList(std term.Streams) *cobra.Command {
	var o dataOptions
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the data sets, present or not",
		Example: "  sotto data list --json",
		Args:    term.None,
		RunE:    func(*cobra.Command, []string) error { return runDataList(o, std.Out) },
	}
	o.addFlags(c.Flags())
	return c
}

// dataList is what "sotto data list --json" prints.
type dataList struct {
	Dir  string         `json:"dir"`
	Sets []dataset.Info `json:"sets"`
}

func runDataList(o dataOptions, out io.Writer) error {
	list := dataList{Dir: o.folder(), Sets: dataset.List(o.folder())}
	if o.json {
		return term.PrintJSON(out, list)
	}
	b := layout.NewBuffer(out)
	t := term.NewTable(b, "NAME", "PRESENT", "ROWS", "LABEL", "ATTRIBUTES", "VARIANTS", "LICENCE", "WHAT").Spare("LICENCE", "VARIANTS", "ATTRIBUTES", "LABEL")
	for _, s := range list.Sets {
		t.Row(s.Name, presence(s), s.Rows, labelOf(s), listed(s.Attributes), listed(s.Variants), s.Licence, s.About)
	}
	t.Flush() //nolint:errcheck // b is a buffer
	fmt.Fprintf(b, "\nfolder: %s\n", list.Dir)
	return b.Flush()
}

func presence(s dataset.Info) string {
	switch {
	case len(s.Files) == 0:
		return "built in"
	case s.Present:
		return "yes"
	}
	return "no"
}

func labelOf(s dataset.Info) string {
	if s.Classes == 0 {
		return s.Label + " (number)"
	}
	return fmt.Sprintf("%s (%d)", s.Label, s.Classes)
}

func listed(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

func newDataVerify(std term.Streams) *cobra.Command {
	var o dataOptions
	c := &cobra.Command{
		Use:   "verify [NAME…]",
		Short: "Check the files of data sets against their SHA-256",
		Long: `Check files against the SHA-256 of their content; a .gz counts as what it holds.
Without names, all sets are checked, and absent ones are said but are no fault.

Exit codes: 0 all is well; 1 a file is wrong, or one of a named set is absent;
2 an unknown name.`,
		Example: `  sotto data verify
  sotto data verify adult celeba --json`,
		ValidArgsFunction: Complete,
		RunE:              func(_ *cobra.Command, args []string) error { return runDataVerify(o, args, std) },
	}
	o.addFlags(c.Flags())
	return c
}

// dataVerdict is what "sotto data verify --json" prints.
type dataVerdict struct {
	Dir  string         `json:"dir"`
	OK   bool           `json:"ok"`
	Sets []verifiedData `json:"sets"`
}

type verifiedData struct {
	Name  string          `json:"name"`
	State dataset.State   `json:"state"` // the worst of its files
	Files []dataset.Check `json:"files"`
}

func runDataVerify(o dataOptions, names []string, std term.Streams) error {
	named := len(names) > 0
	if !named {
		for _, s := range dataset.List(o.folder()) {
			names = append(names, s.Name)
		}
	}
	for _, name := range names { // before any file is read
		if _, err := dataset.Find(name, o.folder()); err != nil {
			return err
		}
	}
	v := dataVerdict{Dir: o.folder(), OK: true}
	bar := term.NewProgress(std.Err, "verifying")
	defer bar.Finish()
	for i, name := range names {
		bar.Describe("verifying " + name)
		bar.Set(int64(i), int64(len(names)))
		checks, err := dataset.Verify(name, o.folder())
		if err != nil {
			return err
		}
		s := verifiedData{Name: name, State: worst(checks), Files: checks}
		if s.State == dataset.Wrong || (named && s.State == dataset.Absent) {
			v.OK = false
		}
		v.Sets = append(v.Sets, s)
	}
	bar.Finish()
	return term.Verdict(term.Show(std.Out, o.json, v, printVerdict), !v.OK)
}

// worst returns the state of a set: wrong if a file is, else absent if one is.
func worst(checks []dataset.Check) dataset.State {
	state := dataset.Good
	for _, c := range checks {
		if c.State == dataset.Wrong || (c.State == dataset.Absent && state == dataset.Good) {
			state = c.State
		}
	}
	return state
}

func printVerdict(out io.Writer, v dataVerdict) error {
	b := layout.NewBuffer(out)
	for _, s := range v.Sets {
		switch {
		case len(s.Files) == 0:
			fmt.Fprintf(b, "%s: built in\n", s.Name)
		case s.State == dataset.Good:
			fmt.Fprintf(b, "%s: %s (files: %d)\n", s.Name, layout.Good(b, "good"), len(s.Files))
		case s.State == dataset.Wrong:
			fmt.Fprintf(b, "%s: %s\n", s.Name, layout.Bad(b, string(s.State)))
		default:
			fmt.Fprintf(b, "%s: %s\n", s.Name, s.State)
		}
		for _, f := range s.Files {
			switch {
			case f.State == dataset.Wrong:
				fmt.Fprintf(b, "  %s is wrong: %s\n", f.File.Path, f.Fault)
			case f.State == dataset.Absent && s.State != dataset.Good:
				fmt.Fprintf(b, "  %s is absent\n", f.File.Path)
			}
		}
	}
	fmt.Fprintf(b, "folder: %s\n", v.Dir)
	return b.Flush()
}

// Complete completes names of data sets.
func Complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, s := range dataset.List("") {
		names = append(names, s.Name+"\t"+s.About)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
