package house_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plainPackages import nothing but the standard library and packages of this module: what
// promises rest on, and what others take into their programs.
var plainPackages = []string{"service/client", "promise/dp", "promise/noise"}

// borrowed finds imports of other modules where there must be none.
func borrowed(t *tree) []string {
	var found []string
	for _, s := range t.code {
		if s.isTest() || !slices.Contains(plainPackages, s.dir()) {
			continue
		}
		for _, spec := range s.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if first, _, _ := strings.Cut(imported, "/"); err != nil || strings.Contains(first, ".") {
				found = append(found, fmt.Sprintf("%s: %s may not import %s", t.at(spec), s.dir(), spec.Path.Value))
			}
		}
	}
	return found
}

// imports returns which packages of this module import which, tests aside. The one at the
// root is ".".
func imports(t *tree) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, s := range t.code {
		if s.isTest() {
			continue
		}
		if all[s.dir()] == nil {
			all[s.dir()] = map[string]bool{}
		}
		for _, spec := range s.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if own, ok := strings.CutPrefix(imported, module+"/"); ok && err == nil {
				all[s.dir()][own] = true
			} else if imported == module && err == nil {
				all[s.dir()][rootPackage] = true
			}
		}
	}
	return all
}

func TestImports(t *testing.T) {
	enforce(t, borrowed, []example{
		{name: "ours", files: map[string]string{"promise/noise/a.go": "package noise\nimport (\n\"os\"\n\"sotto/dp\"\n)"}},
		{name: "elsewhere", files: map[string]string{"promise/mech/a.go": "package mech\nimport \"golang.org/x/sys/cpu\""}},
		{name: "a test", files: map[string]string{"promise/dp/a_test.go": "package dp_test\nimport \"golang.org/x/sys/cpu\""}},
		{
			name:  "outside the standard library",
			files: map[string]string{"promise/noise/a.go": "package noise\nimport \"golang.org/x/sys/cpu\""},
			want:  `promise/noise may not import "golang.org/x/sys/cpu"`,
		},
	})
}
