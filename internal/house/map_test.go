package house_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the map of packages in CONTRIBUTING.md")

// guide is the file with the map, which stands between two marks.
const (
	guide    = "CONTRIBUTING.md"
	mapBegin = "<!-- The map is made from package comments and mayImport: make map -->\n"
	mapEnd   = "<!-- end of the map -->\n"
)

// mapOf renders the packages of a tree as a table: what each is for, as its
// comment begins, and what it may import. Of what comes from outside this
// module, it names what is imported.
func mapOf(t *tree) string {
	about, outside := map[string]string{}, map[string]map[string]bool{}
	for _, s := range t.code {
		if s.isTest() {
			continue
		}
		if outside[s.dir()] == nil {
			outside[s.dir()] = map[string]bool{}
		}
		if doc := s.file.Doc.Text(); doc != "" {
			about[s.dir()] = purpose(doc)
		}
		for _, spec := range s.file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil && strings.Contains(strings.Split(imported, "/")[0], ".") {
				outside[s.dir()][project(imported)] = true
			}
		}
	}
	var b strings.Builder
	b.WriteString("| package | what it does | imports |\n| --- | --- | --- |\n")
	for _, dir := range slices.Sorted(maps.Keys(outside)) {
		allowed := []string{}
		for _, own := range slices.Sorted(slices.Values(mayImport[dir].own)) {
			allowed = append(allowed, "`"+own+"`")
		}
		if mayImport[dir].anyOwn {
			allowed = append(allowed, "any of ours")
		}
		allowed = append(allowed, slices.Sorted(maps.Keys(outside[dir]))...)
		if len(allowed) == 0 {
			allowed = []string{"standard library"}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", dir, about[dir], strings.Join(allowed, ", "))
	}
	return b.String()
}

// purpose returns how a package comment begins, without the package's name and
// without what explains the beginning further.
func purpose(doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	if words := strings.SplitN(doc, " ", 3); len(words) == 3 {
		doc = words[2]
	}
	for _, end := range []string{". ", ": ", "; "} {
		doc, _, _ = strings.Cut(doc, end)
	}
	return strings.NewReplacer("|", "\\|", "[", "", "]", "").Replace(strings.TrimSuffix(doc, "."))
}

// project returns the name by which people know what an import path belongs to.
func project(imported string) string {
	switch parts := strings.Split(imported, "/"); parts[0] {
	case "github.com":
		return parts[2]
	case "golang.org":
		return path.Join(parts[:3]...)
	case "gonum.org":
		return "gonum"
	default:
		return parts[1]
	}
}

// drawn finds a map that is not what the packages say.
func drawn(t *tree) []string {
	_, rest, begun := strings.Cut(t.text[guide], mapBegin)
	got, _, ended := strings.Cut(rest, mapEnd)
	switch {
	case !begun || !ended:
		return []string{guide + " has no map between its two marks"}
	case strings.TrimSpace(got) != strings.TrimSpace(mapOf(t)):
		return []string{guide + ": the map is not what package comments and mayImport say: run `make map`"}
	}
	return nil
}

func TestMap(t *testing.T) {
	if *update {
		here := repository(t)
		before, rest, _ := strings.Cut(here.text[guide], mapBegin)
		_, after, _ := strings.Cut(rest, mapEnd)
		text := before + mapBegin + "\n" + mapOf(here) + "\n" + mapEnd + after
		if err := os.WriteFile(filepath.Join(root, guide), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		here.text[guide] = text
	}
	files := func(row string) map[string]string {
		return map[string]string{
			"mech/a.go": "// Package mech holds [things]: all\n// of them.\npackage mech\nimport (\n\"fmt\"\n\"sotto/dp\"\n\"gonum.org/v1/gonum/mat\"\n)",
			guide:       "# Map\n" + mapBegin + "\n| package | what it does | imports |\n| --- | --- | --- |\n" + row + "\n" + mapEnd,
		}
	}
	enforce(t, drawn, []example{
		{name: "true", files: files("| `mech` | holds things | `dp`, `internal/nearest`, `noise`, gonum |")},
		{name: "other purpose", files: files("| `mech` | holds nothing | `dp`, `internal/nearest`, `noise`, gonum |"), want: "run `make map`"},
		{name: "other imports", files: files("| `mech` | holds things | `dp` |"), want: "run `make map`"},
		{name: "no map", files: map[string]string{guide: "# Map\n"}, want: "has no map"},
	})
}
