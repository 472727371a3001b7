package dptest

import (
	"fmt"
	"slices"

	"sotto/promise/dp"
)

// Faults returns what Vector would report, by the name of the check: of all
// checks, or of those that are named.
func Faults(m dp.Vector, o Options, only ...string) map[string][]string {
	found := map[string][]string{}
	for _, c := range checks() {
		if len(only) > 0 && !slices.Contains(only, c.name) {
			continue
		}
		c.run(newSuite(m, o, func(format string, args ...any) {
			found[c.name] = append(found[c.name], fmt.Sprintf(format, args...))
		}))
	}
	return found
}

// RaceEnabled tells that allocations are not counted.
const RaceEnabled = raceEnabled
