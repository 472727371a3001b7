package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/data"
	"sotto/command/term"
	"sotto/command/vectors"
	"sotto/data/dataset"
	"sotto/data/table"
	"sotto/learn/experiment"
	"sotto/promise/mech"
	"sotto/service/gateway"
)

// Proposal finds what a flag of a command, of which other flags are set and whose
// arguments are given, may be set to. Each may have a tab and some words behind it.
type Proposal func(c *cobra.Command, args []string) []string

// proposals are the flags that shells complete, by name: a flag of one name means
// the same wherever it is, but for those that ask which command they belong to.
var proposals = map[string]Proposal{
	"data":         argument(data.Complete),
	"data-variant": func(c *cobra.Command, _ []string) []string { return chosenData(c).Variants },
	"method":       methods,
	"methods":      methods,
	"mechanism":    argument(term.CompleteMechanism),
	"variant":      variants,
	"encoder":      argument(vectors.CompleteEncoder, "glove\tword vectors, among the data sets"),

	"text":       columns,
	"column":     columns,
	"numbers":    columns,
	"id":         columns,
	"split":      columns,
	"person":     columns,
	"link-by":    columns,
	"prediction": columns,
	"group":      columns,
	"keep":       columns,
	"attributes": columns,
	"label":      columnsOr(labels),
	"labels":     columnsOr(labels),
	"unknown":    columnsOr(labels),
	"form":       Choice("direct", "two-phase"),
	"attribute":  columnsOr(func(i dataset.Info) []string { return i.Attributes }),

	"in-format":   Choice("csv", "tsv", "jsonl", "parquet", "text", "fasttext", "folder"),
	"encoding":    func(*cobra.Command, []string) []string { return table.Encodings() },
	"objective":   Choice("accuracy", "macro-f1", "balanced"),
	"channel":     Choice("public", "fitted"),
	"composition": Choice("basic", "optimal"),
	"noise":       Choice(gateway.Memoised, gateway.Fresh),
	"log-level":   Choice("debug", "info", "warn", "error"),
	"masks":       Choice(mech.Bernoulli, mech.FixedCount),
	"mdl":         Choice("block", "prefix", "none"),
	"color":       Choice(term.Auto, term.Always, term.Never),
}

// complete lets shells complete the values of flags, of a command and of those below
// it, which are those of a study where one says so. A number is not taken for the name of
// a file.
func complete(c *cobra.Command, studies Studies, of Study) {
	if study := studies.of(c); study.Name != "" {
		of = study
	}
	register := func(f *pflag.Flag) {
		propose, known := of.Proposals[f.Name]
		if !known {
			propose, known = proposals[f.Name]
		}
		kind := f.Value.Type()
		list := strings.HasSuffix(kind, "Slice")
		if (f.Name == "attributes" || f.Name == "labels") && !list {
			known = false // the name of a file
		}
		if kind == "string" && !known || kind == "file" || kind == "stringArray" && !known || kind == "stringSlice" && !known {
			return // the name of a file, for all that is known
		}
		//nolint:errcheck // an error says that the flag is not there, or that it has completion already
		c.RegisterFlagCompletionFunc(f.Name, func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if !known {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			directive := cobra.ShellCompDirectiveNoFileComp
			if f.Name == "encoder" {
				directive = cobra.ShellCompDirectiveDefault // which may be a file or a folder
			}
			found := propose(c, args)
			if list {
				found = further(found, typed)
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			return found, directive
		})
	}
	c.Flags().VisitAll(register)
	c.PersistentFlags().VisitAll(register)
	for _, below := range c.Commands() {
		complete(below, studies, of)
	}
}

// further completes the last element of a list behind the others, of which none is
// proposed again.
func further(all []string, typed string) []string {
	at := strings.LastIndexByte(typed, ',') + 1
	before := strings.Split(typed[:at], ",")
	var found []string
	for _, each := range all {
		if name, _, _ := strings.Cut(each, "\t"); !slices.Contains(before, name) {
			found = append(found, typed[:at]+each)
		}
	}
	return found
}

// Choice proposes always the same.
func Choice[T ~string](values ...T) Proposal {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return func(*cobra.Command, []string) []string { return all }
}

// argument proposes for a flag what is proposed for the first argument of a command.
func argument(f cobra.CompletionFunc, more ...string) Proposal {
	return func(c *cobra.Command, _ []string) []string {
		all, _ := f(c, nil, "")
		return slices.Concat(all, more)
	}
}

func methods(*cobra.Command, []string) (all []string) {
	for _, m := range experiment.Methods() {
		all = append(all, m.Name+"\t"+m.About)
	}
	return all
}

// variants are those of the mechanism that is named, or of all.
func variants(c *cobra.Command, args []string) (all []string) {
	named := valueOf(c, "mechanism")
	if named == "" && len(args) > 0 {
		named = args[0]
	}
	for _, k := range mech.Kinds() {
		for _, v := range k.VariantNames() {
			if (named == "" || k.Name == named) && !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}

func labels(i dataset.Info) []string { return i.Labels }

// chosenData describes the data set that --data names, or by default would.
func chosenData(c *cobra.Command) dataset.Info {
	info, err := dataset.Find(valueOf(c, "data"), "")
	if err != nil {
		return dataset.Info{}
	}
	return info
}

// columnsOr proposes the columns of a file, if one is given, or something of the data
// set that was chosen.
func columnsOr(of func(dataset.Info) []string) Proposal {
	return func(c *cobra.Command, args []string) []string {
		if fileOf(c, args) != "" {
			return columns(c, args)
		}
		return of(chosenData(c))
	}
}

// columns are those of the file that was given.
func columns(c *cobra.Command, args []string) []string {
	path := fileOf(c, args)
	if path == "" || path == "-" {
		return nil
	}
	o := table.Options{Encoding: valueOf(c, "encoding"), NoHeader: valueOf(c, "no-header") == "true"}
	if format, err := table.ParseFormat(valueOf(c, "in-format")); err == nil {
		o.Format = format
	}
	if r, err := table.ParseDelimiter(valueOf(c, "delimiter")); err == nil {
		o.Delimiter = r
	}
	r, err := table.Open(path, o)
	if err != nil {
		return nil // the command will say what is wrong
	}
	defer r.Close() //nolint:errcheck // it was only read
	// A name that a shell could not be given as it stands is not proposed.
	return slices.DeleteFunc(slices.Clone(r.Columns()), func(name string) bool { return name == "" || term.Plain(name) != name })
}

// fileOf returns the file that a command reads rows from.
func fileOf(c *cobra.Command, args []string) string {
	for _, flag := range []string{"in", "texts", "predictions", "attributes"} {
		if f := c.Flag(flag); f != nil && f.Changed && !strings.HasSuffix(f.Value.Type(), "Slice") {
			return f.Value.String()
		}
	}
	if c.Name() == "inspect" && len(args) > 0 {
		return args[0]
	}
	return ""
}

// valueOf returns the value of a flag, or nothing if there is no such flag.
func valueOf(c *cobra.Command, name string) string {
	if f := c.Flag(name); f != nil {
		return f.Value.String()
	}
	return ""
}
