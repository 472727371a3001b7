package vectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/promise/mech"
	"sotto/text/encode/cells"
)

// printMade tells what was made, and where it is.
func printMade(out string) func(io.Writer, cells.Head) error {
	return func(w io.Writer, h cells.Head) error {
		var b strings.Builder
		for _, s := range h.Sets {
			fmt.Fprintf(&b, "%s: %d cells of %d texts by %s for ε = %v\n", out, s.Cells, h.Texts, h.Encoder, s.Epsilon)
			for _, t := range s.Tried {
				how := ""
				if t.Whitened {
					how = ", half-whitened"
				}
				fmt.Fprintf(&b, "  tried %4d cells%s: distortion %.4f, the right cell is released with probability %.3f\n", t.Cells, how, t.Distortion, t.Kept)
			}
			on := "texts held out"
			if h.Private != nil {
				on = "what the noisy counts tell of texts"
			}
			fmt.Fprintf(&b, "distortion %.4f on %s (1: releases tell nothing); the right cell is released with probability %.3f\n", s.Chosen.Distortion, on, s.Chosen.Kept)
			if c := s.Channel; c != nil {
				fmt.Fprintf(&b, "randomised response leaves %.4f on %d of them, and no way of this ε to release these cells leaves less than %.4f\n", c.Distortion, c.Texts, c.Bound)
			}
		}
		if l := h.Labelled; l != nil {
			fmt.Fprintf(&b, "labels of %d public texts (%s) count by %v: %.1f %% of them lie on their label's side\n", l.Texts, l.About, l.Weight, 100*l.Agreeing)
		}
		if p := h.Private; p != nil {
			fmt.Fprintf(&b, "the cells promise %v to whoever wrote a text: they tell of texts by noisy counts alone\n", p.Guarantee)
			b.WriteString("neighbours are two lists of as many texts that differ in one, which is replaced; whether a text is there is not promised\n")
			for _, a := range p.Guarantee.Assumptions {
				fmt.Fprintf(&b, "assuming: %s\n", a)
			}
		} else {
			b.WriteString("cells are public: their centres, words and examples tell of the texts they were made of\n")
		}
		_, err := fmt.Fprint(w, b.String())
		return err
	}
}

// showOptions are the flags of "sotto cells show".
type showOptions struct {
	cells, in string
	epsilon   float64
	json      bool
}

func newCellsShow(std term.Streams) *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "show",
		Short: "Say what each public cell, or each release, is about",
		Long: `Print the cells for one ε, each with its share of the public texts, words that are
commoner in it than elsewhere, and a public text near its centre.

With --in a file of releases by cells is read, and for each what was released is
said in these words. A release is noise in part: it names the text's own cell with
the probability that stands in the first line, and else any other.`,
		Example: `  sotto cells show --epsilon 4
  sotto cells show --cells minilm --epsilon 8
  sotto cells show --in private.jsonl`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error { return runCellsShow(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.cells, "cells", "", "file that sotto cells make made, or name of an encoder whose cells come with sotto: "+strings.Join(cells.ShippedEncoders(), ", ")+" (default: default, or those of --in)")
	fs.Float64Var(&o.epsilon, "epsilon", 8, "ε of releases")
	fs.StringVar(&o.in, "in", "", "file of releases by cells, with its record beside it (default: show the cells)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// shownCells is what "sotto cells show --json" prints.
type shownCells struct {
	Encoder  string         `json:"encoder"`
	Epsilon  float64        `json:"epsilon"`
	Kept     float64        `json:"kept"` // the chance that the right cell is released
	SHA256   string         `json:"cells_sha256"`
	Cells    []shownCell    `json:"cells,omitempty"`
	Releases []shownRelease `json:"releases,omitempty"`
}

type shownCell struct {
	Cell    int     `json:"cell"`
	Share   float64 `json:"share"` // of the public texts
	About   string  `json:"about,omitempty"`
	Example string  `json:"example,omitempty"`
}

type shownRelease struct {
	Row     int    `json:"row"` // from 1
	Cell    int    `json:"cell"`
	About   string `json:"about,omitempty"`
	Example string `json:"example,omitempty"`
}

func runCellsShow(ctx context.Context, o showOptions, std term.Streams) error {
	if o.in != "" {
		return o.releases(ctx, std)
	}
	f, err := cells.FindShipped(cmp.Or(o.cells, "default"), "")
	if err != nil {
		return err
	}
	set := f.For(o.epsilon)
	m, err := mech.NewCells(mech.Params{Dim: f.Dim, Epsilon: o.epsilon, Own: f.Own(set)})
	if err != nil {
		return err
	}
	said := shownOf(f, set, m)
	total := 0
	for _, c := range f.Cells[set] {
		total += c.Texts
	}
	for _, c := range f.Cells[set] {
		said.Cells = append(said.Cells, shownCell{c.Cell, float64(c.Texts) / float64(total), c.About, c.Example})
	}
	return term.Show(std.Out, o.json, said, func(out io.Writer, s shownCells) error {
		fmt.Fprintf(out, "%d public cells of %s; at ε = %v the right one is released with probability %.3f\n", len(s.Cells), s.Encoder, s.Epsilon, s.Kept) //nolint:errcheck // the table's error is returned
		t := term.NewTable(out)
		t.Row("cell", "share", "about", "a text of it")
		for _, c := range s.Cells {
			t.Row(c.Cell, fmt.Sprintf("%.2f %%", 100*c.Share), c.About, c.Example)
		}
		return t.Flush()
	})
}

func shownOf(f *cells.File, set int, m *mech.Cells) shownCells {
	s := shownCells{Encoder: f.Encoder, Epsilon: m.Params().Epsilon, SHA256: f.Sets[set].SHA256}
	for _, fact := range m.Profile().Facts {
		if fact.Name == "kept" {
			s.Kept = fact.Value
		}
	}
	return s
}

// releases says what each release of a file is about.
func (o *showOptions) releases(ctx context.Context, std term.Streams) error {
	record, err := evidence.ReadStated(o.in, "")
	if err != nil {
		return err
	}
	if record == nil {
		return fmt.Errorf("%s has no record of releases beside it, must have %s", o.in, o.in+term.PrivacyEnd)
	}
	f, set, err := o.find(record.Mechanism)
	if err != nil {
		return err
	}
	m, err := mech.NewCells(record.Mechanism.With(f.Own(set).Given()))
	if err != nil {
		return err
	}
	said := shownOf(f, set, m)
	r, err := vecfile.Open(o.in, vecfile.Options{})
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	row := make([]float64, r.Width())
	for n := 1; ; n++ {
		if _, err = r.ReadRows(row); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if err = ctx.Err(); err != nil {
			return err
		}
		cell, failed := m.Index(row)
		if failed != nil {
			return fmt.Errorf("%s, row %d: %w", o.in, n, failed)
		}
		c := f.Cells[set][cell]
		said.Releases = append(said.Releases, shownRelease{n, cell, c.About, c.Example})
	}
	return term.Show(std.Out, o.json, said, func(out io.Writer, s shownCells) error {
		fmt.Fprintf(out, "each release names the text's own cell with probability %.3f, else any other\n", s.Kept) //nolint:errcheck // the table's error is returned
		t := term.NewTable(out)
		t.Row("row", "cell", "about", "a public text of the cell")
		for _, r := range s.Releases {
			t.Row(r.Row, r.Cell, r.About, r.Example)
		}
		return t.Flush()
	})
}

// find returns the cells that a record speaks of.
func (o *showOptions) find(p mech.Params) (*cells.File, int, error) {
	digest, _ := p.Value("cells_sha256").(string)
	if digest == "" {
		return nil, 0, fmt.Errorf("%s holds releases by %s, must hold releases by cells", o.in, p.Mechanism)
	}
	return cells.ShippedOf(digest, o.cells)
}

// cellsNote says of releases by cells how to read them, "" of others.
func (o *encodeOptions) cellsNote() string {
	f, set := o.CellsTaken()
	if f == nil {
		return ""
	}
	which := ""
	if p := o.File("cells"); p != "" {
		which = " --cells " + p
	}
	return fmt.Sprintf("\ncells: %d public cells of %s; sotto cells show --in %s%s says what each release is about", f.Sets[set].Cells, f.Encoder, o.out, which)
}
