package explain

import (
	"fmt"
	"io"

	"sotto/evidence/page"
)

// mostPages is how many texts a page shows.
const mostPages = 200

// writePage writes a page on which words stand out.
func writePage(w io.Writer, all []result, method string) error {
	p := page.Page{
		Title: "Which words the answers hang on", Sentence: fmt.Sprintf("%s, explained by %s.", page.Plural(len(all), "text", "texts"), method),
		Verdicts: []page.Verdict{{Tone: page.Warn, Label: "not private", Text: notPrivate}},
	}
	for i, r := range all[:min(mostPages, len(all))] {
		p.Sections = append(p.Sections, section(i, r))
	}
	if len(all) > mostPages {
		p.Sections[len(p.Sections)-1].Blocks = append(p.Sections[len(p.Sections)-1].Blocks, page.Block{Note: fmt.Sprintf("%d more texts are not shown here.", len(all)-mostPages)})
	}
	return page.HTML(w, p)
}

func section(i int, r result) page.Section {
	s := page.Section{
		Title:   fmt.Sprintf("Text %d: %s", i+1, page.Name(r.Prediction)),
		Meaning: fmt.Sprintf("Words with a solid line speak for %s, words with a dotted line against it; the stronger the colour, the more.", page.Name(r.Class)),
	}
	var passage []page.Stretch
	at, of := 0, shade(r.Explanation)
	for _, t := range r.Tokens {
		passage = append(passage, page.Stretch{Text: r.text[at:t.Start]}, page.Stretch{Text: t.Text, Shade: of(t), Tip: weight(t)})
		at = t.End
	}
	passage = append(passage, page.Stretch{Text: r.text[at:]})
	facts := []page.Item{
		{Name: "answer", Text: fmt.Sprintf("%s; the probability of %s is %.4f, from %.4f", page.Name(r.Prediction), page.Name(r.Class), r.Probability, r.Base)},
		{Name: "check", Text: fmt.Sprintf("the weights miss the probability by %.2g", r.Check)},
	}
	if l := r.Local; l != nil {
		facts = append(facts, page.Item{Name: "local fit", Text: fmt.Sprintf("R² = %.3f on %d samples; %d runs share %.0f %% of their strongest words", l.R2, l.Samples, l.Runs, 100*l.Agreement)})
	}
	if n := r.Noise; n != nil {
		facts = append(facts, page.Item{Name: "noise", Text: fmt.Sprintf("flips %.1f %% of answers", 100*n.Flips)})
	}
	table := &page.Table{Caption: "The strongest words", Head: page.Heads("word", "#weight", "speaks")}
	words, left := strongest(r.Explanation, mostWords)
	for _, t := range words {
		table.Add(t.Text, page.Decimal(t.Weight, 4), speaks(t, r.Class))
	}
	s.Blocks = append(s.Blocks, page.Block{Passage: passage}, page.Block{List: facts})
	s.Blocks = append(s.Blocks, table.Blocks()...)
	if left > 0 {
		s.Blocks = append(s.Blocks, page.Block{Note: fmt.Sprintf("%s less.", page.Plural(left, "word more weighs", "words more weigh"))})
	}
	return s
}
