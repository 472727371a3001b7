package house_test

import (
	"fmt"
	"path"
	"regexp"
	"testing"
)

// requirement is a line of a go.mod file that names a version.
var requirement = regexp.MustCompile(`(?m)^(?:require )?\s*([a-z0-9.-]+\.[a-z]+/\S+) (v\S+)`)

// modules finds libraries that two modules of the house take in different versions. What
// is released by one would not be sure to be the bytes that the other releases, and the
// library and all that imports it would be compiled once a version.
func modules(t *tree) []string {
	var found []string
	type use struct{ version, in string }
	first := map[string]use{}
	for _, p := range t.paths {
		if path.Base(p) != "go.mod" {
			continue
		}
		for _, m := range requirement.FindAllStringSubmatch(t.text[p], -1) {
			seen, ok := first[m[1]]
			switch {
			case !ok:
				first[m[1]] = use{version: m[2], in: p}
			case seen.version != m[2]:
				found = append(found, fmt.Sprintf("%s takes %s %s, %s takes %s: use one version", p, m[1], m[2], seen.in, seen.version))
			}
		}
	}
	return found
}

func TestModules(t *testing.T) {
	const library = "example.com/x/lib/v2"
	files := func(other string) map[string]string {
		return map[string]string{
			"go.mod":     "module sotto\n\nrequire " + library + " v2.1.0\n",
			"sub/go.mod": "module sotto/sub\n\nrequire (\n\tsotto v0.0.0\n\t" + library + " " + other + " // indirect\n)\n",
		}
	}
	enforce(t, modules, []example{
		{name: "one version", files: files("v2.1.0")},
		{name: "two versions", files: files("v2.2.0"), want: "sub/go.mod takes " + library + " v2.2.0, go.mod takes v2.1.0"},
	})
}
