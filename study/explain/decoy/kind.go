package decoy

import (
	"errors"
	"fmt"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// Kind is what "sotto explain benchmark" prints.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "decoy", List: "decoys",
	Section:  evidence.Each("Planted shortcuts", (*Result).sections),
	Summary:  evidence.Said((*Result).Sentence, nil),
	Subjects: (*Result).subjects,
	Check:    (*Result).check,
}

// check refuses a file that lacks what the others rely on.
func (r *Result) check() error {
	if len(r.Decoys) == 0 || len(r.Decoys) != len(r.Plantings) {
		return errors.New("decoy: a result has not one planting for each decoy")
	}
	return nil
}

// name is what was planted where, for a person.
func (r *Result) name() string {
	return fmt.Sprintf("%s in %s", page.Clean(strings.Join(r.Decoys, " and "), 80), page.Name(r.Data))
}

func estimate(s measure.Summary) measure.Estimate {
	return measure.Estimate{Value: s.Mean, Low: s.Low, High: s.High}
}

// subjects are the models, and each explainer under its name.
func (r *Result) subjects() []evidence.Subject {
	fault := ""
	if !r.Adopted {
		fault = "the model did not adopt the decoy, so that there was nothing to find"
	}
	all := []evidence.Subject{{
		Name: r.name(), Match: evidence.Match{Data: r.Data, Test: strings.Join(r.Decoys, " ")},
		Numbers: map[string]measure.Estimate{
			"clean": evidence.Exactly(measure.Number(r.Clean)), "decoy": evidence.Exactly(measure.Number(r.Decoy)),
			"clean_slice": evidence.Exactly(r.CleanSlice), "decoy_slice": evidence.Exactly(r.DecoySlice),
			"coverage": evidence.Exactly(measure.Number(r.Coverage)), "productivity": evidence.Exactly(measure.Number(r.Productivity)),
		},
	}}
	for _, e := range r.Explainers {
		s := evidence.Subject{
			Name: e.Name + " finds " + r.name(), Fault: fault,
			Match:   evidence.Match{Data: r.Data, Method: e.Name, Test: strings.Join(r.Decoys, " ")},
			Numbers: map[string]measure.Estimate{"top1": evidence.Exactly(e.Top1), "first_hit": evidence.Exactly(e.FirstHit)},
		}
		if e.Identify != nil {
			s.Numbers["top1"] = estimate(e.Identify.Top1)
			s.Numbers["rank"] = estimate(e.Identify.Rank)
			s.Numbers["list_rank"] = estimate(e.Identify.List)
		}
		if e.Choose != nil {
			s.Numbers["choose"] = estimate(*e.Choose)
		}
		for _, o := range e.Reading {
			end := "_" + strings.ReplaceAll(string(o.Order), "-", "_")
			if o.Order == Uniform {
				end = ""
			}
			s.Numbers["first_hit"+end], s.Numbers["third_hit"+end] = estimate(o.First), estimate(o.Third)
		}
		if e.Find != nil {
			s.Numbers["first_hit"], s.Numbers["third_hit"] = estimate(e.Find.First), estimate(e.Find.Third)
			s.Numbers["precision"] = estimate(e.Find.Precision)
		}
		all = append(all, s)
	}
	return all
}

// Sentence says what was found.
func (r *Result) Sentence() string {
	text := fmt.Sprintf("The model adopted the decoy: on the slice its accuracy is %s %%, that of the clean model %s %%.", percent(r.DecoySlice), percent(r.CleanSlice))
	if !r.Adopted {
		return fmt.Sprintf("The model did not adopt the decoy: on the slice its accuracy is %s %%, that of the clean model %s %%. So explainers had nothing to find.", percent(r.DecoySlice), percent(r.CleanSlice))
	}
	if len(r.Explainers) > 0 {
		e := r.Explainers[0]
		what := "explanations read at random"
		if e.Find != nil {
			what = "rows"
		}
		text += fmt.Sprintf(" Of the explainers %s does best: the decoy shows after %s %s on average.", page.Name(e.Name), page.Decimal(e.FirstHit, 1), what)
		if near := r.near(); len(near) > 0 {
			text += " Within its interval: " + strings.Join(near, ", ") + "."
		}
	}
	return text
}

// near lists the explainers whose mean lies in the interval of the best one.
func (r *Result) near() (names []string) {
	best := r.Explainers[0]
	for _, e := range r.Explainers[1:] {
		same := false
		switch {
		case best.Find != nil:
			same = e.Find != nil && e.Find.Precision.Mean >= best.Find.Precision.Low
		case len(best.Reading) > 0:
			same = len(e.Reading) > 0 && e.FirstHit <= best.Reading[0].First.High
		}
		if same {
			names = append(names, page.Name(e.Name))
		}
	}
	return names
}

// small is a probability, of which many zeros say nothing.
func small(p measure.Number) string {
	if p < 1e-4 {
		return "below 0.0001"
	}
	return page.Decimal(p, 4)
}

func percent(v measure.Number) string { return page.Decimal(100*v, 1) }

// Interval is a mean with its interval, for a person.
func Interval(s measure.Summary, scale float64, decimals int) string {
	text := page.Decimal(float64(s.Mean)*scale, decimals)
	if s.N > 1 {
		text += fmt.Sprintf(" (%s to %s)", page.Decimal(float64(s.Low)*scale, decimals), page.Decimal(float64(s.High)*scale, decimals))
	}
	return text
}

func (r *Result) sections() []page.Section {
	adopted := &page.Table{Caption: "Whether the model adopted what was planted", Head: page.Heads("decoy", "#training rows", "#productivity", "#coverage", "#slice rows", "#clean", "#with decoy", "#p")}
	for _, p := range r.Plantings {
		adopted.Add(page.Clean(p.Decoy, 80), fmt.Sprint(p.Applicability), page.Decimal(p.Productivity, 3), percent(measure.Number(p.Coverage))+" %",
			fmt.Sprint(p.SliceRows), percent(p.CleanSlice)+" %", percent(p.DecoySlice)+" %", small(p.P))
	}
	adopted.Add("all test rows", "", "", "", fmt.Sprint(r.Tested), percent(measure.Number(r.Clean))+" %", percent(measure.Number(r.Decoy))+" %", "")
	words := &page.Table{Caption: "Explainers, best first", Head: page.Heads("explainer", "#cue on top, %", "#read until a hit", "#by SP pick", "#by clusters", "#finds the clean model, %", "#slice gain, removed", "#slice gain, penalised")}
	rows := &page.Table{Caption: "Finders of contaminated rows, best first", Head: page.Heads("finder", "#rows read until the first", "#until the third", "#precision, %", "#test gain, relabelled")}
	for _, e := range r.Explainers {
		if f := e.Find; f != nil {
			rows.Add(page.Name(e.Name), Interval(f.First, 1, 1), Interval(f.Third, 1, 1), Interval(f.Precision, 100, 1), Interval(f.Relabel.All, 100, 1))
			continue
		}
		if e.Identify == nil || e.Choose == nil {
			continue
		}
		row := []string{page.Name(e.Name), Interval(e.Identify.Top1, 100, 1), "", "", "", Interval(*e.Choose, 100, 1), "", ""}
		if e.Removed != nil && e.Held != nil {
			row[6], row[7] = Interval(e.Removed.Slice, 100, 1), Interval(e.Held.Slice, 100, 1)
		}
		for _, o := range e.Reading {
			for k, name := range Orders() {
				if o.Order == name {
					row[2+k] = Interval(o.First, 1, 1)
				}
			}
		}
		words.Add(row...)
	}
	s := page.Section{
		Title:   r.name(),
		Meaning: "A shortcut was planted in the training rows. A model that takes it errs where the shortcut misleads, and an explainer is worth what its reader then finds: how often the planted word is the strongest of a text, and how many explanations are read until one shows it.",
		Source: fmt.Sprintf("sotto explain benchmark: %s; %s, %s to read each; in brackets the 95 %% interval of the mean over seeds, after Student",
			page.Name(r.Model), page.Plural(r.Seeds, "seed", "seeds"), page.Plural(r.Pool, "explanation", "explanations")),
		Blocks: adopted.Blocks(),
	}
	for _, t := range []*page.Table{words, rows} {
		if len(t.Rows) > 0 {
			s.Blocks = append(s.Blocks, t.Blocks()...)
		}
	}
	return []page.Section{s}
}
