package evidence

import (
	"strings"

	"sotto/evidence/page"
)

// Each makes the Section of a kind whose values are shown one by one: the
// sections of each, their titles behind that of the kind if there is one.
func Each[T any](title string, sections func(*T) []page.Section) func(*Evidence) []page.Section {
	return func(e *Evidence) []page.Section {
		var all []page.Section
		for _, v := range All[T](e) {
			for _, s := range sections(v) {
				s.Title = strings.TrimPrefix(title+": "+s.Title, ": ")
				all = append(all, s)
			}
		}
		return all
	}
}

// Said makes the Summary of a kind whose values have a sentence each, of which
// the last counts, and verdicts, unless that is nil.
func Said[T any](sentence func(*T) string, verdicts func(*T) []page.Verdict) func(*Evidence) (string, []page.Verdict) {
	return func(e *Evidence) (text string, all []page.Verdict) {
		for _, v := range All[T](e) {
			text = sentence(v)
			if verdicts != nil {
				all = append(all, verdicts(v)...)
			}
		}
		return text, all
	}
}
