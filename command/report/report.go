// Package report holds report and gate, the commands that read results.
package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/evidence"
	"sotto/internal/version"
	"sotto/learn/experiment"
	"sotto/report"
)

// Commands returns the commands of this group, which read the kinds of evidence of studies
// beside those of the core.
func Commands(std term.Streams, more evidence.Kinds) []*cobra.Command {
	return []*cobra.Command{newReport(std, append(report.Kinds(), more...)), newGate(std, more)}
}

// reportOptions are the flags of "sotto report".
type reportOptions struct {
	out, format, title string
	verify             string
	alone              bool
	kinds              evidence.Kinds // that can be read
}

func newReport(std term.Streams, kinds evidence.Kinds) *cobra.Command {
	o := reportOptions{kinds: kinds}
	c := &cobra.Command{
		Use:   "report RESULTS...",
		Short: "Show stored results on one page: what was promised, what is true, what it costs",
		Long: `Read what the other commands stored and write one page of it: claimed ε, true ε
and audited lower bound, accuracy against ε with the limit, leakage, attacks,
description length, fairness, pictures and spend. What there is no result of is
left out.

RESULTS are folders of "sotto train --out", files that "sotto attack", "sotto
audit", "sotto bias", "sotto errors", "sotto evaluate", "sotto measure" and "sotto
reproduce" printed with --json, and the .privacy.json beside released vectors.

The page is one HTML file that needs no network and runs no code, or Markdown if
the file ends in .md. The same results give the same page.`,
		Example: `  sotto report adult audit.json attack.json --out report.html
  sotto report adult --format md --out -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("want results: folders of \"sotto train --out\", or files that sotto stored")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return runReport(c.Context(), o, args, std)
		},
	}
	c.Flags().StringVar(&o.out, "out", "report.html", "file to write, - for standard output")
	c.Flags().StringVar(&o.format, "format", "", "format of the page: html or md (default: as the file ends)")
	term.AddVerify(c.Flags(), &o.verify, "each of RESULTS")
	c.Flags().BoolVar(&o.alone, "record-alone", false, "show the record of a release whose file is not beside it, as unbound")
	c.Flags().StringVar(&o.title, "title", "", "title of the page (default: the evidence's own)")
	return c
}

func runReport(ctx context.Context, o reportOptions, paths []string, std term.Streams) error {
	out := std.Out
	render, err := o.renderer()
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "reading results")
	defer bar.Finish()
	found, err := load(o.kinds, paths, o.verify, o.alone)
	if err != nil {
		return err
	}
	bar.Describe("drawing the page")
	if o.title != "" {
		found.Title = o.title
	}
	if found.Tool == "" {
		found.Tool = "sotto " + version.Short()
	}
	var page bytes.Buffer
	if err = render(&page, found); err != nil {
		return err
	}
	bar.Finish()
	if err = ctx.Err(); err != nil {
		return err
	}
	if o.out == "-" {
		_, err = out.Write(page.Bytes())
		return err
	}
	for _, p := range paths {
		if term.SameFile(o.out, p) || term.SameFile(o.out, filepath.Join(p, experiment.ResultsFile)) {
			return fmt.Errorf("--out is %s, must not be one of the results", o.out)
		}
	}
	kB := (page.Len() + 999) / 1000
	if err = term.WriteWhole(o.out, out, func(w io.Writer) error { _, failed := page.WriteTo(w); return failed }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d kB\n", o.out, kB)
	return err
}

// load reads evidence of some kinds; where it must be signed, what was verified and nothing else.
func load(kinds evidence.Kinds, paths []string, verify string, alone bool) (*evidence.Evidence, error) {
	key, err := term.CheckingKey(verify)
	if err != nil {
		return nil, err
	}
	all, err := kinds.New()
	for _, path := range paths {
		switch {
		case err != nil:
		case key != nil:
			err = all.AddSigned(*key, path, alone)
		default:
			err = all.AddFile(path, alone)
		}
	}
	return all, err
}

// renderer chooses what is written, by --format or the end of --out.
func (o *reportOptions) renderer() (func(io.Writer, *evidence.Evidence) error, error) {
	format := o.format
	if format == "" {
		switch strings.ToLower(filepath.Ext(o.out)) {
		case ".md", ".markdown":
			format = "md"
		default:
			format = "html"
		}
	}
	switch format {
	case "html":
		return report.HTML, nil
	case "md":
		return report.Markdown, nil
	}
	return nil, fmt.Errorf("--format is %q, must be html or md", o.format)
}
