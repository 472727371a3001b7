package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/study/relation"
	"sotto/study/relation/folder"
)

// related is what is printed of a text that a model of relations was asked about.
type related struct {
	Method    string               `json:"method"` // rule
	Relations []relation.Explained `json:"relations"`
	Private   bool                 `json:"private"` // never
	text      string
}

// refuseOfRelations refuses flags that say nothing to a model of relations: its own rules
// explain it.
func refuseOfRelations(fs *pflag.FlagSet) (err error) {
	allowed := []string{"model", "in", "text", "in-format", "delimiter", "encoding", "no-header", "out", "json", "help"}
	fs.VisitAll(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(allowed, f.Name) {
			err = term.Refuse(fs, "of a model of relations, which its own rules explain", f.Name)
		}
	})
	return err
}

// runRelations explains what a model of relations tells, by the rules that it shows.
func runRelations(ctx context.Context, o explainOptions, std term.Streams) error {
	texts, err := o.texts(std.In)
	if err != nil {
		return err
	}
	if err = term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	if err = term.RefuseSame(term.Named("--out", o.out), term.Named("--in", o.in)); err != nil {
		return err
	}
	m, err := folder.Open(o.model)
	if err != nil {
		return fmt.Errorf("--model: %w", err)
	}
	f, err := relation.NewFinder(m)
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "texts")
	defer bar.Finish()
	all := make([]related, len(texts))
	for k, s := range texts {
		found, err := f.Explain(ctx, s)
		if err != nil {
			return fmt.Errorf("text %d: %w", k+1, err)
		}
		if found == nil {
			found = []relation.Explained{}
		}
		all[k] = related{Method: "rule", Relations: found, text: s}
		bar.Set(int64(k+1), int64(len(texts)))
	}
	bar.Finish()
	if o.out != "" {
		if err := term.WriteWhole(o.out, std.Out, func(w io.Writer) error { return writeRelated(w, all) }); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		return writeRelated(std.Out, all)
	case o.out == "-":
		return nil
	}
	return printRelated(std.Out, all)
}

// writeRelated writes JSON, an object a text.
func writeRelated(w io.Writer, all []related) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // rules have < and >
	for _, t := range all {
		if err := e.Encode(t); err != nil {
			return err
		}
	}
	return nil
}

// sources say where rules are from.
var sources = map[relation.Source]string{
	relation.Decoded: "decoded: the model wrote it, and it holds here",
	relation.Stored:  "stored: what the model wrote does not hold, and this is the nearest stored rule that does",
	relation.NoRule:  "none: no rule holds here",
}

// printRelated prints what was told for a person.
func printRelated(out io.Writer, all []related) error {
	b := layout.NewBuffer(out)
	for i, one := range all {
		if i > 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintln(b, visible(one.text))
		if len(one.Relations) == 0 {
			fmt.Fprintln(b, "no relation is told")
		}
		for _, r := range one.Relations {
			fmt.Fprintln(b)
			t := term.NewTable(b)
			t.Fact("relation", "%s of %s and %s", r.Type, visible(r.Subject.Text), visible(r.Object.Text))
			t.Fact("confidence", "%.2f", r.Confidence)
			if r.Rule != "" {
				t.Fact("rule", "%s", r.Rule)
			}
			t.Fact("source", "%s", sources[r.Source])
			if m := r.Matched; m != nil {
				t.Fact("matched", "%s (bytes %d to %d)", visible(m.Text), m.Start, m.End)
			}
			if err := t.Flush(); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(b, "\nnot private: %s\n", notPrivate)
	return b.Flush()
}
