package evidence

import "sotto/report/page"

// Each makes the Section of a kind whose values are shown one by one: the
// sections of each, their titles behind that of the kind.
func Each[T any](title string, sections func(*T) []page.Section) func(*Evidence) []page.Section {
	return func(e *Evidence) []page.Section {
		var all []page.Section
		for _, v := range All[T](e) {
			for _, s := range sections(v) {
				s.Title = title + ": " + s.Title
				all = append(all, s)
			}
		}
		return all
	}
}
