package house_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// guide is the file with the table of places.
const guide = "CONTRIBUTING.md"

// touched is in how many places a newcomer adds something, by what is added.
var touched = map[string]int{
	"a mechanism":         4,
	"a method":            3,
	"a data set":          3,
	"an attack":           3,
	"a command":           2,
	"a kind of evidence":  2,
	"a tab of the studio": 2,
}

var (
	placeRow = regexp.MustCompile(`(?m)^\| (an? [^|]+) \| (\d+) \| ([^|]+) \| ([^|]+) \|$`)
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// unplaced finds rows of the table of places that are not true: which do not
// count what they list, or name a file or a test that there is not.
func unplaced(t *tree) []string {
	var found []string
	tests := testFunctions(t)
	seen := map[string]bool{}
	for _, m := range placeRow.FindAllStringSubmatch(t.text[guide], -1) {
		name, listed := m[1], len(strings.Split(m[3], ";"))
		seen[name] = true
		if stated, err := strconv.Atoi(m[2]); err != nil || stated != listed || stated != touched[name] {
			found = append(found, fmt.Sprintf("%s: %s is said to touch %s places and lists %d, must be %d", guide, name, m[2], listed, touched[name]))
		}
		for _, q := range quoted.FindAllStringSubmatch(m[3], -1) {
			if !t.known[q[1]] {
				found = append(found, fmt.Sprintf("%s: %s touches %s, which does not exist", guide, name, q[1]))
			}
		}
		for _, q := range quoted.FindAllStringSubmatch(m[4], -1) {
			if !tests[q[1]] {
				found = append(found, fmt.Sprintf("%s: %s is shown by %s, which is no test", guide, name, q[1]))
			}
		}
	}
	for name := range touched {
		if !seen[name] {
			found = append(found, fmt.Sprintf("%s does not say where to add %s", guide, name))
		}
	}
	return found
}

func TestPlaces(t *testing.T) {
	page := func(change func(string) string) map[string]string {
		var b strings.Builder
		for name, n := range touched {
			fmt.Fprintf(&b, "| %s | %d | `mech`%s | `TestA` |\n", name, n, strings.Repeat("; there", n-1))
		}
		return map[string]string{guide: change(b.String()), "mech/a_test.go": "package mech_test\nfunc TestA() {}"}
	}
	replace := func(old, now string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, now, 1) }
	}
	enforce(t, unplaced, []example{
		{name: "true", files: page(replace("", ""))},
		{name: "wrong count", files: page(replace("a method | 3", "a method | 2")), want: "a method is said to touch 2 places and lists 3, must be 3"},
		{name: "no such file", files: page(replace("a method | 3 | `mech`", "a method | 3 | `cellar`")), want: "a method touches cellar, which does not exist"},
		{name: "no such test", files: page(replace("`TestA`", "`TestB`")), want: "TestB, which is no test"},
		{name: "no row", files: page(replace("| a command |", "| no command |")), want: "does not say where to add a command"},
	})
}
