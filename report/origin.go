package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sotto/experiment"
	"sotto/report/evidence"
)

// originSection says how the numbers came about.
func originSection(e *evidence.Evidence) section {
	s := section{
		ID: "measured", Title: "How it was measured",
		Meaning: "What decides the numbers above, so that somebody else can get them again.",
	}
	for _, r := range results(e) {
		s.Blocks = append(s.Blocks, block{Heading: taskName(r)}, block{List: originOf(r)})
		if spec, err := json.MarshalIndent(r.Spec, "", "  "); err == nil && len(spec) < 1<<16 {
			s.Blocks = append(s.Blocks, block{Heading: "Specification", Code: cleanLines(string(spec))})
		}
	}
	if made := tools(e); made != "" {
		s.Blocks = append(s.Blocks, block{List: []item{{"Made by", made}}})
	}
	return s
}

func originOf(r *experiment.Result) []item {
	d := r.Data
	data := nameText(d.Name)
	if d.Variant != "" {
		data += ", variant " + nameText(d.Variant)
	}
	list := []item{
		{"Data", data},
		{"Rows", fmt.Sprintf("%d to train, %d to validate, %d to test", r.Rows.Train, r.Rows.Validation, r.Rows.Test)},
		{"Label", nameText(d.Label) + classesText(d.Classes)},
	}
	if d.Attribute != "" {
		list = append(list, item{"Protected", nameText(d.Attribute) + classesText(d.Groups)})
	}
	if d.Encoder != "" {
		list = append(list, item{"Encoder", nameText(d.Encoder)})
	}
	if d.Hash != "" {
		list = append(list, item{"SHA-256 of the data", nameText(d.Hash)})
	}
	list = append(list,
		item{"Hash of the specification", nameText(r.Spec.Hash())},
		item{"Seeds", fmt.Sprintf("%d, from %d", max(1, r.Spec.Seeds), max(1, r.Spec.FirstSeed))},
		item{"Noise", "simulated from the seeds, so that the numbers can be repeated; such releases protect nobody"},
	)
	var told []string
	for i := range r.Configurations {
		if c := longText(r.Configurations[i].Coverage); c != "" && !slices.Contains(told, c) {
			told = append(told, c)
			list = append(list, item{"Coverage", c})
		}
	}
	for _, n := range r.Notes {
		list = append(list, item{"Note", longText(n)})
	}
	for _, f := range r.Failed {
		list = append(list, item{"Failed", nameText(f.Job) + ": " + longText(f.Reason)})
	}
	if r.Interrupted {
		list = append(list, item{"Interrupted", "the work was stopped; the numbers are those of the epochs that were trained"})
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
		short[i] = clean(n, 40)
	}
	return " (" + strings.Join(short, ", ") + ")"
}

// tools lists the versions that stored something.
func tools(e *evidence.Evidence) string {
	var list []string
	add := func(s string) {
		if s = nameText(s); s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	add(e.Tool)
	for _, r := range releases(e) {
		add(r.Tool)
	}
	return strings.Join(list[:min(len(list), 20)], "; ")
}
