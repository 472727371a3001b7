package vectors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sotto/dataset"
	"sotto/encode"
	"sotto/encode/catalogue"
	"sotto/encode/cells"
	"sotto/internal/atomicfile"
	"sotto/internal/cli/term"
	"sotto/internal/vecfile"
	"sotto/mech"
	"sotto/nn"
)

func newCells(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{
		Use:   "cells",
		Short: "Make the public cells that the mechanism cells releases",
		Long: `The mechanism "cells" releases in which of several public cells a text lies, at
the ε that is asked for, whatever is to be told of the text later. The cells are
those of public texts and must be made before.`,
	}, newCellsMake(std))
}

// cellsOptions are the flags of "sotto cells make".
type cellsOptions struct {
	term.TextFlags
	cells.Settings
	encoder, in, out string
	epsilons         []float64
	examples, json   bool
}

func newCellsMake(std term.Streams) *cobra.Command {
	var o cellsOptions
	c := &cobra.Command{
		Use:   "make",
		Short: "Divide public texts into cells, as many as are best for ε",
		Long: `Encode public texts, divide their vectors into cells by k-means, and write the
centre of each cell as a JSON line, with the number of its texts and the text
nearest to the centre, so that people can read what a release says.

How many cells are best depends on ε: several numbers are tried, and the one
is taken whose releases tell most of texts that were held out, one in ten.
Distortion is what is left of a vector's variance to a receiver who knows the
cells: 1 if releases tell nothing. With several ε there is a file for each,
OUT-E.jsonl.

Cells are public, and so is everything they are made of: centres are means of
texts, and examples are texts. Take texts that may be published, and no others.
Cells with fewer texts than --least are taken away, which guards against mistakes
and promises nothing. The result is the same for any number of workers.`,
		Example: `  sotto cells make --in public.txt --epsilon 8 --out cells.jsonl
  sotto encode --mechanism cells --cells cells.jsonl --epsilon 8 --in texts.txt --out private.jsonl`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE:    func(c *cobra.Command, _ []string) error { return runCellsMake(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "-", "file or folder of public texts, - for standard input")
	o.AddFlags(fs)
	fs.StringVar(&o.encoder, "encoder", "default", "encoder that makes the vectors, the same as in releases (see sotto encoder list)")
	fs.Float64SliceVar(&o.epsilons, "epsilon", []float64{8}, "ε of the releases to come, or several separated by commas")
	fs.IntVar(&o.Count, "cells", 0, "number of cells (default: the best for ε)")
	fs.IntVar(&o.Least, "least", 10, "texts that every cell must have")
	fs.BoolVar(&o.examples, "examples", true, "write a public text for each cell")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the first centres (default 0)")
	fs.StringVar(&o.out, "out", "", "file to write, which ends in .jsonl")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print the summary as JSON")
	return c
}

// madeCells is what "sotto cells make --json" prints of each ε.
type madeCells struct {
	Out     string        `json:"out"`
	Encoder string        `json:"encoder"`
	Epsilon float64       `json:"epsilon"`
	Texts   int           `json:"texts"`
	Chosen  cells.Trial   `json:"chosen"`
	Tried   []cells.Trial `json:"tried"`
	SHA256  string        `json:"cells_sha256"`
}

func runCellsMake(ctx context.Context, o cellsOptions, std term.Streams) (err error) {
	if err = o.check(); err != nil {
		return err
	}
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	texts, err := o.All(o.in, std.In)
	if err != nil {
		return err
	}
	e, err := catalogue.Open(ctx, o.encoder, dataset.Dir())
	if err != nil {
		return err
	}
	closeEncoder := term.CloserOf(e)
	defer closeEncoder() //nolint:errcheck // its error counts before the output appears
	x, err := encode.Texts(ctx, e, texts, o.Workers)
	if err = errors.Join(err, closeEncoder()); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "ε")
	defer bar.Finish()
	var all []madeCells
	var files []*atomicfile.File
	for i, epsilon := range o.epsilons {
		bar.Set(int64(i), int64(len(o.epsilons)))
		o.Epsilon = epsilon
		f, made, failed := o.make(ctx, x, texts, e.Name())
		if failed != nil {
			return failed
		}
		defer f.Abort() // after a commit it does nothing
		files, all = append(files, f), append(all, made)
	}
	for _, f := range files {
		if err = f.Commit(); err != nil {
			return err
		}
	}
	bar.Finish()
	if o.json {
		return term.PrintJSON(std.Out, map[string]any{"cells": all})
	}
	for _, m := range all {
		if err = m.print(std); err != nil {
			return err
		}
	}
	return nil
}

// check refuses flags that cannot be met before texts are read.
func (o *cellsOptions) check() error {
	if !strings.HasSuffix(o.out, ".jsonl") {
		return fmt.Errorf("--out is %q, must be a file that ends in .jsonl", o.out)
	}
	files := []term.NamedPath{term.Named("--in", o.in)}
	for i, e := range o.epsilons {
		if slices.Contains(o.epsilons[:i], e) {
			return fmt.Errorf("--epsilon has %v twice, must have it once", e)
		}
		files = append(files, term.Named("--out", o.path(e)))
		s := o.Settings
		if s.Epsilon, s.Workers = e, 1; s.Validate() != nil {
			return s.Validate()
		}
	}
	if len(o.epsilons) == 0 {
		return errors.New("want --epsilon, the ε of the releases to come")
	}
	return term.RefuseSame(files...)
}

// path returns the file of the cells for ε.
func (o *cellsOptions) path(epsilon float64) string {
	if len(o.epsilons) == 1 {
		return o.out
	}
	return strings.TrimSuffix(o.out, ".jsonl") + "-" + strconv.FormatFloat(epsilon, 'f', -1, 64) + ".jsonl"
}

// make makes the cells for one ε and a file of them that does not appear yet.
func (o *cellsOptions) make(ctx context.Context, x nn.Matrix, texts []string, encoder string) (_ *atomicfile.File, made madeCells, err error) {
	set, err := cells.Make(ctx, x, o.Settings)
	if err != nil {
		return nil, made, err
	}
	// What releases would refuse is refused here.
	m, err := mech.NewCells(mech.Params{Dim: x.Cols, Epsilon: o.Epsilon, Own: mech.CellsParams{Centres: set.Centres}})
	if err != nil {
		return nil, made, err
	}
	made = madeCells{
		Out: o.path(o.Epsilon), Encoder: encoder, Epsilon: o.Epsilon, Texts: len(texts), Chosen: set.Chosen, Tried: set.Tried,
		SHA256: mech.OwnOf[mech.CellsParams](m.Params()).SHA256,
	}
	f, err := atomicfile.Create(made.Out)
	if err != nil {
		return nil, made, err
	}
	defer func() {
		if err != nil {
			f.Abort()
		}
	}()
	names := []string{"cell", "texts", "encoder"}
	if o.examples {
		names = append(names, "example")
	}
	w, err := vecfile.NewWriter(f, vecfile.JSONL, vecfile.WriterOptions{Width: x.Cols, Beside: names})
	if err != nil {
		return nil, made, err
	}
	for c, centre := range set.Centres {
		fields := []vecfile.Field{{Text: strconv.Itoa(c), Bare: true}, {Text: strconv.Itoa(set.Texts[c]), Bare: true}, {Text: encoder}}
		if o.examples {
			fields = append(fields, vecfile.Field{Text: short(texts[set.Example[c]])})
		}
		if err = w.WriteBeside(centre, [][]vecfile.Field{fields}); err != nil {
			return nil, made, err
		}
	}
	return f, made, w.Close()
}

// short cuts a public text to what a person reads at a glance.
func short(text string) string {
	const most = 200
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// print tells what was made.
func (m madeCells) print(std term.Streams) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d cells of %d public texts by %s for ε = %v\n", m.Out, m.Chosen.Cells, m.Texts, m.Encoder, m.Epsilon)
	for _, t := range m.Tried {
		fmt.Fprintf(&b, "  tried %4d cells: distortion %.4f, the right cell is released with probability %.3f\n", t.Cells, t.Distortion, t.Kept)
	}
	fmt.Fprintf(&b, "distortion %.4f on texts held out (1: releases tell nothing); the right cell is released with probability %.3f\n", m.Chosen.Distortion, m.Chosen.Kept)
	b.WriteString("cells are public: their centres and examples tell of the texts they were made of\n")
	_, err := fmt.Fprint(std.Out, b.String())
	return err
}
