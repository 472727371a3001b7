package relation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/data/dataset"
	"sotto/internal/layout"
	"sotto/study/language/english"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
)

// rulesOptions are the flags of "sotto relations rules".
type rulesOptions struct {
	data, part, rules, out string
	induce, print, json    bool
}

func newRules(std term.Streams) *cobra.Command {
	var o rulesOptions
	c := &cobra.Command{
		Use:   "rules",
		Short: "Measure on a data set how well rules alone find its relations",
		Long: `Measure how well rules alone find the relations of a data set, between the entities
that it gives.

For conll04 and biographies, rules that were written by hand are built in. --induce
learns rules from the training part, and compares them with those by hand and with both
together; for semeval2010 and fewrel, it is always so. Rules never see the part that they
are measured on. --rules gives a file of your own, or those for what texts tell of
persons, by --rules personal. --print prints the rules, to be read, edited and used again.

First the sentences beside each rule are tried, and a rule that is not as they say ends
the command. Then precision, recall and F1 are counted, over all relations, by relation
and by rule; where texts of the part stand in other parts, too, also without them.

A file of rules has lines of this kind:

  rule works-for: Work_For
    tokens <person>=subject works for <org>=object
    seen 9 of 10
    yes [person=subject Ann Lee] works for [org=object Acme] .
    no [person Ann Lee] works with [org Acme] .

In place of tokens it may be a tree: tree {lemma:work} >nsubj {}=subject >obl:for {}=object.
Behind seen stands how often the rule was right in training, which is its confidence. All
of the language is described in docs/relations.md.`,
		Example: `  sotto relations rules --data conll04
  sotto relations rules --data conll04 --induce --json
  sotto relations rules --data semeval2010 --print > learnt.rules
  sotto relations rules --data conll04 --rules mine.rules --part dev`,
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
	fs.StringVar(&o.data, "data", "conll04", "data set: biographies, conll04, fewrel or semeval2010")
	fs.StringVar(&o.rules, "rules", "", "file of rules, or personal for what texts tell of persons (default: those that are built in for the data set, if any)")
	fs.BoolVar(&o.induce, "induce", false, "learn rules from the training part, too")
	fs.StringVar(&o.part, "part", "test", "part of the data set to measure on: train, dev or test")
	fs.BoolVar(&o.print, "print", false, "print the rules in place of measuring them")
	fs.StringVar(&o.out, "out", "", "file to write the result to, for sotto report and sotto gate")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// file reads the rules, and tries the sentences beside them. It returns nil where there are
// none to read.
func (o *rulesOptions) file() (f *rule.File, err error) {
	switch {
	case o.rules == "personal":
		return judge.Personal(o.data)
	case o.rules != "":
		if f, err = term.ReadFile(o.rules, rule.Parse); err != nil {
			return nil, fmt.Errorf("--rules: %w", err)
		}
	case !judge.HasRules(o.data):
		return nil, nil
	default:
		if f, err = judge.Rules(o.data); err != nil {
			return nil, err
		}
	}
	return f, tried(f)
}

// tried reports rules that are not as the sentences beside them say.
func tried(f *rule.File) error {
	if len(f.Rules) == 0 {
		return errors.New("--rules: the file has no rules, must have some")
	}
	m, err := english.Model()
	if err != nil {
		return err
	}
	if err := f.Check(m.Trees()); err != nil {
		return fmt.Errorf("rules are not as the sentences beside them say:\n%w", err)
	}
	return nil
}

func (o *rulesOptions) run(ctx context.Context, std term.Streams) error {
	part, ok := dataset.ParsePart(o.part)
	if !ok {
		return fmt.Errorf("--part is %q, must be train, dev or test", o.part)
	}
	if !slices.Contains(dataset.RelationSets(), o.data) {
		return fmt.Errorf("--data is %.40q, must be one of %s%s", o.data, strings.Join(dataset.RelationSets(), ", "), layout.Hint(o.data, dataset.RelationSets()))
	}
	if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	f, err := o.file()
	if err != nil {
		return err
	}
	if o.print && f != nil && !o.induce {
		_, err = io.WriteString(std.Out, f.String())
		return err
	}
	bar := term.NewProgress(std.Err, "texts")
	defer bar.Finish()
	r, f, err := judge.Measure(ctx, judge.Options{
		Data: o.data, Part: part, Rules: f, Induce: o.induce, Sentences: o.print,
		Progress: func(done, total int) { bar.Set(int64(done), int64(total)) },
	})
	if err != nil {
		return err
	}
	bar.Finish()
	if o.print {
		_, err = io.WriteString(std.Out, f.String())
		return err
	}
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
	if r.Own != nil {
		row("those that rules are for", *r.Own)
	}
	if r.New != nil && r.Repeated > 0 {
		row(fmt.Sprintf("without %d repeated texts", r.Repeated), *r.New)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := showCompared(w, r, percent); err != nil {
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

// showCompared prints what rules by hand and learnt ones find, and how far rules of one
// kind of texts go on another.
func showCompared(w io.Writer, r *judge.Result, percent func(float64) string) error {
	if len(r.Compared) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	t := term.NewTable(w, "rules", "number", "precision", "recall", "F1", "macro F1")
	for _, c := range r.Compared {
		t.Row(c.Name, c.Rules, percent(c.Precision), percent(c.Recall), percent(c.F1), percent(c.MacroF1))
	}
	for _, d := range r.Domains {
		t.Row(fmt.Sprintf("of %s, on %s", d.From, d.On), d.Rules, percent(d.Precision), percent(d.Recall), percent(d.F1), percent(d.MacroF1))
	}
	return t.Flush()
}
