// Package relation holds the command relations, which says who does what to whom and by
// which rule.
package relation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sotto/dataset"
	"sotto/internal/cli/term"
	"sotto/language/english"
	"sotto/measure"
	"sotto/relation/judge"
	"sotto/relation/rule"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{term.Group(
		&cobra.Command{Use: "relations", Short: "Find who does what to whom, by rules that people can read"},
		newRules(std))}
}

// rulesOptions are the flags of "sotto relations rules".
type rulesOptions struct {
	data, part, rules, out string
	print, json            bool
}

func newRules(std term.Streams) *cobra.Command {
	var o rulesOptions
	c := &cobra.Command{
		Use:   "rules",
		Short: "Measure on a data set how well rules alone find its relations",
		Long: `Measure how well rules alone find the relations of a data set, between the entities
that it gives, without any training.

For conll04 the rules are built in; --print prints them, to be read and edited. For
semeval2010 and fewrel, give a file of your own with --rules. First the sentences beside
each rule are tried, and a rule that is not as they say ends the command. Then its
precision, recall and F1 are counted, over all relations, by relation and by rule; where
texts of the part stand in other parts, too, also without them.

A file of rules has lines of this kind:

  rule works-for: Work_For
    tokens <person>=subject works for <org>=object
    yes [person=subject Ann Lee] works for [org=object Acme] .
    no [person Ann Lee] works with [org Acme] .

In place of tokens it may be a tree: tree {lemma:work} >nsubj {}=subject >obl:for {}=object.
All of the language is described in docs/relations.md.`,
		Example: `  sotto relations rules --data conll04
  sotto relations rules --data conll04 --print > mine.rules
  sotto relations rules --data conll04 --rules mine.rules --part dev --json`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.print {
				if err := term.RefuseFlags(c.Flags(), "with --print", "part", "out", "json"); err != nil {
					return err
				}
			}
			return o.run(c.Context(), std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.data, "data", "conll04", "data set: conll04, fewrel or semeval2010")
	fs.StringVar(&o.rules, "rules", "", "file of rules (default: those that are built in, for conll04)")
	fs.StringVar(&o.part, "part", "test", "part of the data set to measure on: train, dev or test")
	fs.BoolVar(&o.print, "print", false, "print the rules in place of measuring them")
	fs.StringVar(&o.out, "out", "", "file to write the result to, for sotto report and sotto gate")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// file reads the rules, and tries the sentences beside them.
func (o *rulesOptions) file() (f *rule.File, err error) {
	if o.rules == "" {
		f, err = judge.Rules(o.data)
	} else if f, err = term.ReadFile(o.rules, rule.Parse); err != nil {
		err = fmt.Errorf("--rules: %w", err)
	}
	if err != nil {
		return nil, err
	}
	if len(f.Rules) == 0 {
		return nil, errors.New("--rules: the file has no rules, must have some")
	}
	m, err := english.Model()
	if err != nil {
		return nil, err
	}
	if err := f.Check(m.Trees()); err != nil {
		return nil, fmt.Errorf("rules are not as the sentences beside them say:\n%w", err)
	}
	return f, nil
}

func (o *rulesOptions) run(ctx context.Context, std term.Streams) error {
	part, ok := dataset.ParsePart(o.part)
	if !ok {
		return fmt.Errorf("--part is %q, must be train, dev or test", o.part)
	}
	if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	f, err := o.file()
	if err != nil {
		return err
	}
	if o.print {
		_, err = io.Copy(std.Out, strings.NewReader(f.String()))
		return err
	}
	bar := term.NewProgress(std.Err, "texts")
	defer bar.Finish()
	r, err := judge.Run(ctx, judge.Options{
		Data: o.data, Part: part, Rules: f,
		Progress: func(done, total int) { bar.Set(int64(done), int64(total)) },
	})
	if err != nil {
		return err
	}
	bar.Finish()
	if o.out != "" {
		if err := term.WriteJSON(o.out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, show)
}

// show prints a result for people.
func show(w io.Writer, r *judge.Result) error {
	percent := func(v float64) string { return term.Percent(measure.Number(v)) }
	t := term.NewTable(w, "relation", "precision", "recall", "F1", "right", "wrong", "missed")
	row := func(name string, s judge.Score) {
		t.Row(name, percent(s.Precision), percent(s.Recall), percent(s.F1), s.Right, s.Wrong, s.Missed)
	}
	for _, n := range r.Relations {
		row(n.Name, n.Score)
	}
	row("all", r.Score)
	if r.New != nil && r.Repeated > 0 {
		row(fmt.Sprintf("without %d repeated texts", r.Repeated), *r.New)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	t = term.NewTable(w, "rule", "right", "wrong")
	for _, n := range r.ByRule {
		t.Row(n.Name, n.Right, n.Wrong)
	}
	return t.Flush()
}
