package vectors

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sotto/command/term"
	"sotto/text"
)

// maskedTypes says how much was masked for what it is, by its type, and never what.
func maskedTypes(masked map[string]int64) string {
	var each []string
	for _, t := range slices.Sorted(maps.Keys(masked)) {
		if term.Typed(text.Type(t)) {
			each = append(each, fmt.Sprintf("%d %s", masked[t], t))
		}
	}
	if len(each) == 0 {
		return ""
	}
	return "\nmasked by type: " + strings.Join(each, ", ") + "; what was not found is still there, and only ε promises"
}

// typeRule returns the rule by which parts of texts are masked for what they are; ""
// if none are.
func typeRule(maskers []text.Masker) string {
	for _, m := range maskers {
		if typed, ok := m.(text.TypesMasker); ok {
			return typed.Rule()
		}
	}
	return ""
}
