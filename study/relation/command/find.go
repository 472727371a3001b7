package relation

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// findOptions are the flags of "sotto relations find".
type findOptions struct {
	term.TextFlags
	in, model, rules string
	least            float64
	json, thorough   bool
	workers          int
}

func newFind(std term.Streams) *cobra.Command {
	var o findOptions
	c := &cobra.Command{
		Use:   "find",
		Short: "Find relations in texts, with the rule that explains each",
		Long: `Read texts, one a line or a column of a file, and print who does what to whom: the
relation, its two arguments with their places in bytes, how sure it is, and the rule that
explains it.

Without --model, rules decide: those that are built in, for what texts tell of persons
(employers, homes, schools, memberships, family), or a file of your own by --rules. With
--model, a folder of sotto relations train decides, about all pairs of entities of a
sentence whose types it knows, or, for a model of semeval2010, about all nouns that are at
most three steps apart in the tree. It writes a rule once, where one of its stored rules
matches, and shows the stored one where what it wrote does not hold; with --thorough it
writes up to eight, everywhere, as sotto relations evaluate does. Entities, tags and trees are those of sotto tag, and I, my,
he and she are persons, too.

--json prints an object a text: "relations", each with "type", "subject", "object", "rule"
and "confidence". The confidence of a rule is how often it was right in training, and 0.5
where nobody has counted. What is printed holds the texts: it is as private as they are.`,
		Example: `  echo "I work at Google and live in London." | sotto relations find
  sotto relations find --model DIR --in texts.txt --json
  sotto relations find --rules mine.rules --in reviews.csv --text review --least 0.8`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.model != "" {
				if err := term.RefuseFlags(c.Flags(), "with --model", "rules"); err != nil {
					return err
				}
			} else if err := term.RefuseFlags(c.Flags(), "without --model", "thorough"); err != nil {
				return err
			}
			return o.run(c.Context(), std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "-", "file or folder of texts, - for standard input")
	o.AddFlags(fs)
	fs.StringVar(&o.model, "model", "", "folder of a model of sotto relations train (default: rules decide)")
	fs.BoolVar(&o.thorough, "thorough", false, "with --model, write rules also where no stored one matches (several times slower)")
	fs.StringVar(&o.rules, "rules", "personal", "file of rules, or personal for those that are built in")
	fs.Float64Var(&o.least, "least", 0, "confidence from 0 to 1 below which a relation is left out (default: none is)")
	fs.BoolVar(&o.json, "json", false, "print JSON, an object a text")
	fs.IntVar(&o.workers, "workers", 0, "number of texts that are worked on at once (default: as many as there are processors)")
	return c
}

// open returns what decides.
func (o *findOptions) open() (relation.Model, error) {
	if o.model != "" {
		m, err := openModel(o.model)
		if q, ok := m.(relation.Quicker); ok && !o.thorough {
			return q.Quick(), err
		}
		return m, err
	}
	f, err := relation.PersonalRules()
	if o.rules != "personal" {
		if f, err = term.ReadFile(o.rules, rule.Parse); err != nil {
			return nil, fmt.Errorf("--rules: %w", err)
		}
		err = tried(f)
	}
	if err != nil {
		return nil, err
	}
	return relation.NewRules(f)
}

func (o *findOptions) run(ctx context.Context, std term.Streams) (err error) {
	if !(o.least >= 0 && o.least <= 1) {
		return fmt.Errorf("--least is %v, must be from 0 to 1", o.least)
	}
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	m, err := o.open()
	if err != nil {
		return err
	}
	f, err := relation.NewFinder(m)
	if err != nil {
		return err
	}
	var skipped sync.Once
	f.Skipped = func(err error) {
		skipped.Do(func() {
			term.Complain(std.Err, "a rule was left out of a sentence, and what others found stays: "+err.Error())
		})
	}
	in, err := o.Open(o.in, std.In, false)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	out := bufio.NewWriterSize(std.Out, 1<<16)
	return term.Batches(in.Next, o.workers, std.Err, "relations of these are seldom found", func(texts []string, before int64) error {
		found, err := f.FindAll(ctx, texts, o.workers)
		if err != nil {
			return err
		}
		for k, all := range found {
			all = slices.DeleteFunc(all, func(r relation.Found) bool { return !(r.Confidence >= o.least) })
			if err := o.print(out, before+int64(k)+1, all); err != nil {
				return err
			}
		}
		return out.Flush()
	})
}

// print writes the relations of a text.
func (o *findOptions) print(out *bufio.Writer, line int64, all []relation.Found) error {
	if o.json {
		if all == nil {
			all = []relation.Found{}
		}
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false) // rules have < and >
		return e.Encode(struct {
			Line      int64            `json:"line"`
			Relations []relation.Found `json:"relations"`
		}{line, all})
	}
	for _, r := range all {
		if _, err := fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%.2f\t%s\n", line, term.Plain(r.Subject.Text), r.Type, term.Plain(r.Object.Text), r.Confidence, r.Rule); err != nil {
			return err
		}
	}
	return nil
}
