package aec

import (
	"errors"
	"fmt"
	"strconv"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	failing "sotto/study/errors"
)

// Kind is the case as evidence.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "table", List: "aec",
	Check:    (*Result).check,
	Section:  evidence.Each("", (*Result).sections),
	Subjects: (*Result).subjects,
}

// check refuses a case without a base or with a table that has other lines.
func (r *Result) check() error {
	if len(r.Cases) == 0 {
		return errors.New("aec: there is no base, must be at least one")
	}
	for _, c := range r.Cases {
		if len(c.Table) != len(ks) {
			return fmt.Errorf("aec: table 4 of %.20q has %d lines, must have %d", c.Name, len(c.Table), len(ks))
		}
	}
	return nil
}

// subjects lets gates limit what errors the forest finds.
func (r *Result) subjects() []evidence.Subject {
	var all []evidence.Subject
	for _, c := range r.Cases {
		s := evidence.Subject{Name: "aec " + c.Name, Match: evidence.Match{Data: "airline"}, Numbers: map[string]measure.Estimate{"accuracy": evidence.Exactly(c.Accuracy)}}
		for _, k := range c.Rankings.Rankers {
			if k.Name == failing.Forest {
				s.Numbers["auc"] = evidence.Exactly(k.AUC)
			}
		}
		for _, p := range c.Table {
			s.Numbers["p_at_"+strconv.Itoa(p.K)] = evidence.Exactly(p.Forest.Mean)
		}
		all = append(all, s)
	}
	return all
}

// sections shows the case on a page.
func (r *Result) sections() []page.Section {
	var all []page.Section
	for _, c := range r.Cases {
		s := page.Section{
			ID: "aec-" + c.Name, Title: "Published table: errors found by readable features, base " + page.Name(c.Name),
			Meaning: fmt.Sprintf("A classifier that learnt from films is right on %s %% of tweets to airlines; a forest of features that people can read says which of its answers are wrong.", page.Decimal(100*c.Accuracy, 1)),
			Source:  "sotto reproduce aec; the published numbers are those of one split in " + r.Paper + ".",
		}
		t := &page.Table{Caption: fmt.Sprintf("Share of errors among the first K, mean ± deviation over %s", page.Plural(r.Splits, "split", "splits")), Head: page.Heads("#K", "#forest", "#published", "#least confidence", "#published", "#combined")}
		for _, p := range c.Table {
			t.Add(strconv.Itoa(p.K), spread(p.Forest), page.Decimal(p.PublishedForest, 2), spread(p.Doubt), page.Decimal(p.PublishedDoubt, 2), spread(p.Combined))
		}
		s.Blocks = append(s.Blocks, t.Blocks()...)
		kinds := &page.Table{Caption: "What kinds of features are worth", Head: page.Heads("kind", "#features", "#among the first 100", "#mean decrease %", "#AUC lost when permuted")}
		for _, g := range c.Groups {
			kinds.Add(g.Name, strconv.Itoa(g.Features), strconv.Itoa(g.Among), page.Decimal(100*g.Decrease, 1), page.Decimal(g.Importance, 4))
		}
		s.Blocks = append(s.Blocks, kinds.Blocks()...)
		found := 0
		for _, x := range c.Tops {
			if x.Among {
				found++
			}
		}
		s.Blocks = append(s.Blocks, page.Block{Note: fmt.Sprintf("Of %d published top features, %d are among our first 100.", len(c.Tops), found)})
		all = append(all, s)
	}
	for _, n := range r.Notes {
		all[len(all)-1].Blocks = append(all[len(all)-1].Blocks, page.Block{Note: n})
	}
	return all
}
