package inspect

import (
	"strings"

	"sotto/internal/layout"
)

// Commands returns what to type next for the file at path: how to plan and how to
// train, on numbers if there are no texts, or how to encode if there is no label. Flags are those that were needed
// to read the file, as they were typed.
func (r *Report) Commands(path string, flags ...string) []string {
	if r.Headless {
		return []string{"sotto data inspect " + layout.Command(append([]string{path}, flags...)...) + " --no-header"}
	}
	if r.Roles.Text == "" && (r.Roles.Label == "" || len(r.Roles.Numbers) == 0) {
		return nil
	}
	words := append([]string{"--in", path}, flags...)
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, value)
		}
	}
	add("--text", r.Roles.Text)
	add("--numbers", strings.Join(r.Roles.Numbers, ","))
	if r.Roles.Label == "" {
		return []string{"sotto encode " + layout.Command(words...) + " --mechanism codebook --epsilon 8 --out private.parquet"}
	}
	add("--label", r.Roles.Label)
	if len(r.Roles.Attributes) > 0 {
		add("--attribute", r.Roles.Attributes[0])
	}
	add("--split", r.Roles.Split)
	add("--person", r.Roles.Person)
	return []string{
		"sotto plan " + layout.Command(words...) + " --target 0.8",
		"sotto train " + layout.Command(words...) + " --method auto --epsilon 4 --out model",
	}
}
