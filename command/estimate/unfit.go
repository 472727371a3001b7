package estimate

import (
	"fmt"
	"slices"
	"strings"

	"sotto/learn/estimate"
)

// unfit says what releases cannot tell because of what their records say: of a file with
// ids beside the releases nothing is gained by shuffling, and rows of one person are not
// rows of several.
func (o *options) unfit(of ...*releases) (u estimate.Unfit) {
	for _, r := range of {
		if several := r.said.Several(); several != "" {
			u.NoIntervals = several + ", and an interval is one of people who release once (sotto encode --max-rows 1)"
			u.NoShuffle = several + ", and the theorem is one of users who release once"
		}
		if kept := o.told(r); len(kept) > 0 && u.NoShuffle == "" {
			u.NoShuffle = fmt.Sprintf("beside each release stands %s, which tells releases apart, and the theorem is one of releases that nothing tells apart", strings.Join(kept, ", "))
		}
	}
	return u
}

// told lists what stands beside releases, less the column by which they are grouped:
// shuffling is then within a group.
func (o *options) told(r *releases) []string {
	kept := slices.Concat(r.said.Kept, r.beside)
	slices.Sort(kept)
	return slices.DeleteFunc(slices.Compact(kept), func(name string) bool { return name == o.group && o.groups == "" })
}

// comparable refuses a comparison of releases of which somebody has several: its test is
// one of people who release once.
func (o *options) comparable(r *releases) error {
	if several := r.said.Several(); several != "" && (o.against != "" || o.compare != nil) {
		return fmt.Errorf("%s: %s, must be one of each: the test of --against and --compare is one of people who release once", r.name, several)
	}
	return nil
}
