package link

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sotto/command/term"
	"sotto/study/language"
	"sotto/study/link"
	"sotto/study/link/mention"
)

// mentionsResult is what "sotto link mentions" prints of a text.
type mentionsResult struct {
	Text     int64              `json:"text"` // number of the text, from 1
	Optimal  bool               `json:"optimal"`
	Clusters []mentionedCluster `json:"clusters"`
	Near     []nearMention      `json:"near_misses"`
}

// mentionedCluster is somebody or something, and where it is spoken of.
type mentionedCluster struct {
	Name     string         `json:"name"`
	Type     language.Type  `json:"type,omitempty"`
	Gender   mention.Gender `json:"gender,omitempty"`
	Number   mention.Number `json:"number,omitempty"`
	Weakest  *weakest       `json:"weakest,omitempty"`
	Mentions []mentioned    `json:"mentions"`
}

// mentioned is a mention.
type mentioned struct {
	Start int          `json:"start"`
	End   int          `json:"end"`
	Text  string       `json:"text"`
	Kind  mention.Kind `json:"kind"`
	Why   *reason      `json:"why,omitempty"`
}

// reason is what speaks the most for a mention being where it is.
type reason struct {
	With        string  `json:"with"` // the other mention
	Start       int     `json:"start"`
	Probability float64 `json:"probability"`
	Terms       []said  `json:"terms"`
}

type said struct {
	Says   string  `json:"says"`
	Weight float64 `json:"weight"`
}

// weakest is the pair of a cluster that is the least held together.
type weakest struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Weight float64 `json:"weight"`
}

// nearMention is a mention that nearly was one with another.
type nearMention struct {
	Mention     string   `json:"mention"`
	Start       int      `json:"start"`
	With        string   `json:"with"`
	WithStart   int      `json:"with_start"`
	Forbidden   bool     `json:"forbidden,omitempty"` // two genders, two first names
	Probability float64  `json:"probability"`
	Change      *float64 `json:"change,omitempty"` // of the objective, if it were moved: above zero, worse
}

// mostNear is how many near misses are told.
const mostNear = 5

// named leaves names alone.
func named(all []mention.Mention) []mention.Mention {
	return slices.DeleteFunc(slices.Clone(all), func(m mention.Mention) bool { return m.Kind != mention.Named })
}

func newMentionsResult(d *language.Document, r *mention.Result) mentionsResult {
	out := mentionsResult{Optimal: r.Optimal, Clusters: []mentionedCluster{}, Near: []nearMention{}}
	words := func(k int) string { return d.Text[r.Mentions[k].Start:r.Mentions[k].End] }
	division := link.NewDivision(r.Graph, r.Labels)
	reasons := r.Reasons()
	clusters := r.Clusters()
	for _, members := range clusters {
		name, about := r.Canonical(members), r.About(members)
		c := mentionedCluster{Name: d.Text[name.Start:name.End], Type: about.Type, Gender: about.Gender, Number: about.Number}
		for _, k := range members {
			m := r.Mentions[k]
			one := mentioned{Start: m.Start, End: m.End, Text: words(k), Kind: m.Kind}
			if l, ok := reasons[k]; ok {
				other := l.I
				if other == k {
					other = l.J
				}
				one.Why = &reason{With: words(other), Start: r.Mentions[other].Start, Probability: rounded(l.Probability), Terms: []said{}}
				for _, t := range l.Terms {
					one.Why.Terms = append(one.Why.Terms, said{t.Says, rounded(t.Weight)})
				}
			}
			c.Mentions = append(c.Mentions, one)
		}
		out.Clusters = append(out.Clusters, c)
	}
	for k, e := range weakestEdges(r) {
		out.Clusters[k].Weakest = &weakest{words(e[0]), words(e[1]), rounded(division.Term(e[0], e[1]).Weight)}
	}
	for _, l := range nearest(r) {
		n := nearMention{Mention: words(l.J), Start: r.Mentions[l.J].Start, With: words(l.I), WithStart: r.Mentions[l.I].Start, Forbidden: l.Conflict, Probability: rounded(l.Probability)}
		if r.Mentions[l.J].Kind != mention.Pronoun && !l.Conflict {
			change := rounded(division.Move(l.J, l.I).Total)
			n.Change = &change
		}
		out.Near = append(out.Near, n)
	}
	return out
}

// nearest returns the links between clusters that are the likeliest, those that are
// forbidden last.
func nearest(r *mention.Result) []mention.Link {
	var out []mention.Link
	for _, l := range r.Links {
		if r.Labels[l.I] != r.Labels[l.J] {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b mention.Link) int { return cmp.Compare(b.Probability, a.Probability) })
	return out[:min(len(out), mostNear)]
}

// weakestEdges returns, by cluster, the pair that was compared and attracts the least.
func weakestEdges(r *mention.Result) map[int][2]int {
	out, weight := make(map[int][2]int), make(map[int]float64)
	for _, e := range r.Graph.Edges {
		c := r.Labels[e.I]
		if c != r.Labels[e.J] {
			continue
		}
		if w, ok := weight[c]; !ok || e.Weight > w {
			out[c], weight[c] = [2]int{e.I, e.J}, e.Weight
		}
	}
	return out
}

func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// print prints a text for a person: those that are named or spoken of more than once.
func (o *mentionsOptions) print(w io.Writer, r mentionsResult) error {
	if r.Text > 1 {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	alone := 0
	t := term.NewTable(w, "text", "who or what", "type", "mentions")
	for _, c := range r.Clusters {
		if len(c.Mentions) == 1 && c.Mentions[0].Kind != mention.Named {
			alone++
			continue
		}
		var all []string
		for _, m := range c.Mentions {
			all = append(all, fmt.Sprintf("%s (%d)", term.Plain(m.Text), m.Start))
		}
		t.Row(r.Text, term.Plain(c.Name), strings.TrimSpace(fmt.Sprintf("%s %s", c.Type, known(c.Gender))), listedMentions(all))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if alone > 0 {
		if _, err := fmt.Fprintf(w, "and %d that are spoken of once, without a name\n", alone); err != nil {
			return err
		}
	}
	if !o.why {
		return nil
	}
	return r.explain(w)
}

// known is a gender that tells something.
func known(g mention.Gender) mention.Gender {
	if g == mention.Neuter {
		return ""
	}
	return g
}

// mostMentions is how many mentions of a cluster are written out.
const mostMentions = 12

func listedMentions(all []string) string {
	if len(all) > mostMentions {
		return strings.Join(all[:mostMentions], ", ") + fmt.Sprintf(" and %d more", len(all)-mostMentions)
	}
	return strings.Join(all, ", ")
}

// explain says why.
func (r mentionsResult) explain(w io.Writer) error {
	t, err := titled(w, "What speaks for each (above zero), and against", "mention", "is", "probability", "because")
	if err != nil {
		return err
	}
	for _, c := range r.Clusters {
		for _, m := range c.Mentions {
			if m.Why == nil || m.Why.Start > m.Start {
				continue
			}
			var because []string
			for _, s := range m.Why.Terms[:min(4, len(m.Why.Terms))] {
				because = append(because, fmt.Sprintf("%s %+.2f", s.Says, s.Weight))
			}
			t.Row(fmt.Sprintf("%s (%d)", term.Plain(m.Text), m.Start), fmt.Sprintf("%s (%d)", term.Plain(m.Why.With), m.Why.Start), fmt.Sprintf("%.2f", m.Why.Probability), strings.Join(because, ", "))
		}
	}
	if err = t.Flush(); err != nil || len(r.Near) == 0 {
		return err
	}
	if t, err = titled(w, "What nearly was one", "mention", "with", "probability", "the change of the objective"); err != nil {
		return err
	}
	for _, n := range r.Near {
		chance, change := fmt.Sprintf("%.2f", n.Probability), "another fits better"
		switch {
		case n.Forbidden:
			chance, change = "", "forbidden: two persons"
		case n.Change != nil:
			change = number(*n.Change)
		}
		t.Row(fmt.Sprintf("%s (%d)", term.Plain(n.Mention), n.Start), fmt.Sprintf("%s (%d)", term.Plain(n.With), n.WithStart), chance, change)
	}
	return t.Flush()
}

// printJudged prints what was measured for a person.
func printJudged(w io.Writer, r *mention.Judged) error {
	percent := func(v float64) string { return fmt.Sprintf("%.1f", 100*v) }
	if len(r.Chains) > 0 {
		t := term.NewTable(w, r.Corpus, "mentions", "scope", "found", "MUC", "B³", "CEAF-m", "CEAF-e", "LEA", "mean")
		for _, c := range r.Chains {
			t.Row(c.Method, c.Mentions, c.Scope, percent(c.Coref.Mentions.F1), percent(c.MUC.F1), percent(c.BCubed.F1), percent(c.CEAFM.F1), percent(c.CEAFE.F1), percent(c.LEA.F1), percent(c.CoNLL))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "F1 in percent over the %d documents of the %s part; the mean is that of MUC, B³ and CEAF-e\n", r.Chains[0].Documents, r.Part)
		return err
	}
	t := term.NewTable(w, r.Corpus, "knows", "masculine", "feminine", "ratio", "overall", "precision", "recall")
	for _, p := range r.Pronouns {
		t.Row(p.Method, p.Knows, percent(p.Masculine.F1), percent(p.Feminine.F1), fmt.Sprintf("%.2f", p.Ratio), percent(p.Overall.F1), percent(p.Overall.Precision), percent(p.Overall.Recall))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "F1 in percent over the %d texts of the %s part\n", cmp.Or(r.Pronouns[0].Texts, 0), r.Part)
	return err
}
