package vectors

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/data/textfile"
	"sotto/text"
)

// maskOptions are the flags of "sotto mask".
type maskOptions struct {
	term.ListFlags
	json bool
}

func newMask(std term.Streams, types text.Types) *cobra.Command {
	var o maskOptions
	c := &cobra.Command{
		Use:   "mask",
		Short: "Print texts with personal data masked, to see what the masks of other commands do",
		Long: `Read texts from standard input, one a line, and print each with what is masked
replaced: what sotto encode, gateway and train make vectors of with the same flags,
and by default with --mask types:all, or with types:relations beside --mask-relations.

` + term.MaskHelp(types) + `
What is printed is no private release: whoever reads it may well know whom a text is
about. It is for your eyes, or for those who may see the texts anyway.`,
		Example: `  echo 'Write to ann@lovelace.org' | sotto mask
  sotto mask --mask types:all=fake,email=pseudonym --mask-secret mask.secret <texts.txt
  sotto mask --mask types:identifiers --mask-names capitals --json <texts.txt
  sotto mask --mask types:relation:Work_For,person --mask-relations model <texts.txt`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), std) },
	}
	o.AddFlags(c.Flags())
	c.Flags().BoolVar(&o.json, "json", false, "print an object a line, with the text and where what type was masked")
	return c
}

func (o *maskOptions) run(ctx context.Context, std term.Streams) error {
	switch {
	case o.Any():
	case o.Told != "":
		o.Lists = []string{"types:relations"}
	default:
		o.Lists = []string{"types:all"}
	}
	maskers, err := o.Maskers(ctx)
	if err != nil {
		return err
	}
	in, err := textfile.NewReader(std.In, textfile.Options{Name: "stdin", Format: textfile.Text})
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	out := bufio.NewWriter(std.Out)
	counts := map[string]int64{}
	var languages term.Languages
	for {
		s, failed := in.Next()
		if errors.Is(failed, io.EOF) {
			break
		}
		if err = cmp.Or(failed, ctx.Err()); err != nil {
			return err
		}
		languages.Add(s)
		k := text.Mask(s, nil, maskers...)
		for _, p := range k.Parts {
			counts[string(p.Type)]++
		}
		if err = o.print(out, text.Apply(s, k, ""), k); err != nil {
			return err
		}
	}
	if err = out.Flush(); err != nil {
		return err
	}
	said := strings.TrimPrefix(maskedTypes(counts), "\n")
	if note := languages.Note(foreignMasks); note != "" {
		said += "\nnote: " + note
	}
	if said != "" {
		fmt.Fprintln(std.Err, strings.TrimPrefix(said, "\n")) //nolint:errcheck // words only
	}
	return nil
}

// foreignMasks is what another language means for masks.
const foreignMasks = "names and addresses in other languages are seldom found"

// print writes a text with its masks.
func (o *maskOptions) print(out *bufio.Writer, left string, k text.Masking) error {
	if !o.json {
		_, err := out.WriteString(left + "\n")
		return err
	}
	line, err := json.Marshal(struct {
		Text   string          `json:"text"`
		Masked []term.MaskPart `json:"masked"`
	}{left, term.MaskParts(k)})
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}
