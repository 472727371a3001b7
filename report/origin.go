package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
)

// originSection says how the numbers came about.
func originSection(e *evidence.Evidence) page.Section {
	s := page.Section{
		ID: "measured", Title: "How it was measured",
		Meaning: "What decides the numbers above, so that somebody else can get them again.",
	}
	s.Blocks = append(s.Blocks, originBlocks(evidence.All[experiment.Result](e))...)
	if made := tools(e); made != "" {
		s.Blocks = append(s.Blocks, page.Block{List: []page.Item{{Name: "Made by", Text: made}}})
	}
	return s
}

// originBlocks says what decided the numbers of results: what all have in common
// once, and of each what it has alone.
func originBlocks(all []*experiment.Result) []page.Block {
	lists := make([][]page.Item, len(all))
	for i, r := range all {
		lists[i] = originOf(r)
	}
	var common []page.Item
	if len(all) > 1 {
		common = kept(lists[0], func(it page.Item) bool {
			return !slices.ContainsFunc(lists, func(list []page.Item) bool { return !slices.Contains(list, it) })
		})
	}
	var blocks []page.Block
	if common != nil {
		blocks = append(blocks, page.Block{Heading: "All " + page.Plural(len(all), "training", "trainings")}, page.Block{List: common})
	}
	for i, r := range all {
		name := taskName(r)
		if len(all) > 1 {
			name += ", " + nameText(strings.Join(methodsOf(r), ", "))
		}
		own := kept(lists[i], func(it page.Item) bool { return !slices.Contains(common, it) })
		blocks = append(blocks, page.Block{Heading: name})
		if own != nil {
			blocks = append(blocks, page.Block{List: own})
		}
		if spec, err := json.MarshalIndent(r.Spec, "", "  "); err == nil && len(spec) < 1<<16 {
			blocks = append(blocks, page.Block{Heading: "Specification", Code: cleanLines(string(spec))})
		}
	}
	return blocks
}

// methodsOf lists the methods of a result with their ε.
func methodsOf(r *experiment.Result) []string {
	var list []string
	for i := range r.Configurations {
		if c := &r.Configurations[i]; !c.Companion {
			list = once(list, join(c.Method, variantOf(c), epsilonOf(c)))
		}
	}
	return list
}

func epsilonOf(c *experiment.Configuration) string {
	if c.Epsilon == 0 {
		return ""
	}
	return fmt.Sprintf("ε = %v", c.Epsilon)
}

func originOf(r *experiment.Result) []page.Item {
	d := r.Data
	data := nameText(d.Name)
	if d.Variant != "" {
		data += ", variant " + nameText(d.Variant)
	}
	list := []page.Item{
		{Name: "Data", Text: data},
		{Name: "Rows", Text: fmt.Sprintf("%d to train, %d to validate, %d to test", r.Rows.Train, r.Rows.Validation, r.Rows.Test)},
		{Name: "Label", Text: nameText(d.Label) + classesText(d.Classes)},
	}
	if d.Attribute != "" {
		list = append(list, page.Item{Name: "Protected", Text: nameText(d.Attribute) + classesText(d.Groups)})
	}
	if d.Encoder != "" {
		list = append(list, page.Item{Name: "Encoder", Text: nameText(string(d.Encoder))})
	}
	list = append(list,
		page.Item{Name: "Hash of the specification", Text: nameText(r.Spec.Hash())},
		page.Item{Name: "Seeds", Text: fmt.Sprintf("%d, from %d", max(1, r.Spec.Seeds), max(1, r.Spec.FirstSeed))},
		page.Item{Name: "Noise", Text: "simulated from the seeds, so that the numbers can be repeated; such releases protect nobody"},
	)
	for i := range r.Configurations {
		if c := r.Configurations[i].Channel; c != nil {
			list = once(list, page.Item{Name: "Channel", Text: longText(c.Tells())})
		}
		if c := longText(r.Configurations[i].Coverage); c != "" {
			list = once(list, page.Item{Name: "Coverage", Text: c})
		}
		if p := r.Configurations[i].Person; p != nil {
			list = once(list, page.Item{Name: "For a person", Text: "if each row is released once, the guarantee is " + longText(p.String())})
		}
	}
	for _, n := range r.Notes {
		list = append(list, page.Item{Name: "Note", Text: longText(n)})
	}
	for _, f := range r.Failed {
		list = append(list, page.Item{Name: "Failed", Text: nameText(f.Job) + ": " + longText(f.Reason)})
	}
	if r.Interrupted {
		list = append(list, page.Item{Name: "Interrupted", Text: "the work was stopped; the numbers are those of the epochs that were trained"})
	}
	return list
}

// classesText lists the names of classes, if they are few.
func classesText(names []string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) > 12 {
		return fmt.Sprintf(" (%d values)", len(names))
	}
	short := make([]string, len(names))
	for i, n := range names {
		short[i] = page.Clean(n, 40)
	}
	return " (" + strings.Join(short, ", ") + ")"
}

// tools lists the versions that stored something.
func tools(e *evidence.Evidence) string {
	list := once(nil, nameText(e.Tool))
	for _, r := range releases(e) {
		list = once(list, nameText(r.Tool))
	}
	list = kept(list, func(s string) bool { return s != "" })
	return strings.Join(list[:min(len(list), 20)], "; ")
}
