package house_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plan is the page with the pictures.
const plan = "docs/architecture.md"

var (
	mermaid     = regexp.MustCompile("(?s)```mermaid\n(.*?)```")
	roomOf      = regexp.MustCompile(`(?m)^\s*(\w+)\["<b>[^<]*</b><br/>(.*)"\]$`)
	arrowOf     = regexp.MustCompile(`(?m)^\s*(\w+) --> (\w+)$`)
	separator   = regexp.MustCompile(`<br/>| · `)
	participant = regexp.MustCompile(`(?m)^\s*participant (\w+)(?: as (\S+))?$`)
	actor       = regexp.MustCompile(`(?m)^\s*actor (\w+)`)
	message     = regexp.MustCompile(`(?m)^\s*(\w+)(->>|-->>|-\))(\w+): `)
)

// misdrawn finds what the pictures say wrongly: of the rooms, in the first, and
// of the steps of a flow, in the others.
func misdrawn(t *tree) []string {
	pictures := mermaid.FindAllStringSubmatch(t.text[plan], -1)
	if len(pictures) == 0 {
		return []string{plan + " has no picture of the rooms"}
	}
	found := misplacedRooms(t, pictures[0][1])
	for _, p := range pictures[1:] {
		found = append(found, misdrawnFlow(t, p[1])...)
	}
	return found
}

// misplacedRooms checks that each package is in one room, that arrows lead
// wherever imports go, that each is there for an import, and that none leads back.
func misplacedRooms(t *tree, picture string) (found []string) {
	room, below := map[string]string{}, map[string][]string{}
	for _, m := range roomOf.FindAllStringSubmatch(picture, -1) {
		for _, dir := range separator.Split(m[2], -1) {
			if room[dir] != "" || !isPackage(t, dir) {
				found = append(found, fmt.Sprintf("%s: %s must be a package, in one room", plan, dir))
				continue
			}
			room[dir] = m[1]
		}
	}
	between := map[[2]string]string{} // rooms, with an example
	all := imports(t)
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		if room[dir] == "" && !outsideRooms(dir) {
			found = append(found, fmt.Sprintf("%s: package %s is in no room, add it to the picture", plan, dir))
		}
		for _, own := range slices.Sorted(maps.Keys(all[dir])) {
			if room[dir] != "" && room[own] != "" && room[own] != room[dir] {
				between[[2]string{room[dir], room[own]}] = fmt.Sprintf("%s imports %s", dir, own)
			}
		}
	}
	for _, m := range arrowOf.FindAllStringSubmatch(picture, -1) {
		if between[[2]string{m[1], m[2]}] == "" {
			found = append(found, fmt.Sprintf("%s: an arrow leads from %s to %s, and no import", plan, m[1], m[2]))
			continue
		}
		below[m[1]] = append(below[m[1]], m[2])
	}
	for way, one := range between {
		if !leads(below, way[0], way[1]) {
			found = append(found, fmt.Sprintf("%s: %s, and no arrow leads from %s to %s", plan, one, way[0], way[1]))
		} else if leads(below, way[1], way[0]) {
			found = append(found, fmt.Sprintf("%s: %s, and arrows lead back from %s to %s", plan, one, way[1], way[0]))
		}
	}
	return found
}

// outsideRooms reports whether a package is a module of its own that lies beside the house,
// or an example.
func outsideRooms(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return first == "integration" || first == "examples"
}

// isPackage reports whether a folder holds Go code.
func isPackage(t *tree, dir string) bool {
	return slices.ContainsFunc(t.code, func(s source) bool { return s.dir() == dir })
}

// leads reports whether arrows lead from one room to another.
func leads(below map[string][]string, from, to string) bool {
	seen := map[string]bool{}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, r := range below[next[0]] {
			if r == to {
				return true
			}
			if !seen[r] {
				seen[r] = true
				next = append(next, r)
			}
		}
	}
	return false
}

// misdrawnFlow checks that who takes part is a package or an actor, and that a
// call, and the answer to one, follows an import. Messages between programs are
// free.
func misdrawnFlow(t *tree, picture string) (found []string) {
	who, all := map[string]string{}, imports(t)
	for _, m := range actor.FindAllStringSubmatch(picture, -1) {
		who[m[1]] = "?"
	}
	for _, m := range participant.FindAllStringSubmatch(picture, -1) {
		who[m[1]] = m[1]
		if m[2] != "" {
			who[m[1]] = m[2]
		}
		if !isPackage(t, who[m[1]]) {
			found = append(found, fmt.Sprintf("%s: %s takes part in a flow, must be a package or an actor", plan, who[m[1]]))
		}
	}
	for _, m := range message.FindAllStringSubmatch(picture, -1) {
		caller, called := who[m[1]], who[m[3]]
		if m[2] == "-->>" {
			caller, called = called, caller
		}
		switch {
		case caller == "" || called == "":
			found = append(found, fmt.Sprintf("%s: %q has an end that is not declared", plan, strings.TrimSpace(m[0])))
		case m[2] != "-)" && !all[caller][called]:
			found = append(found, fmt.Sprintf("%s: %s calls %s in a flow, but does not import it", plan, caller, called))
		}
	}
	return found
}

func TestArchitecture(t *testing.T) {
	page := func(rooms, flow string) map[string]string {
		return map[string]string{
			"dp/a.go": "package dp", "mech/a.go": "package mech\nimport \"sotto/dp\"",
			plan: "```mermaid\nflowchart TB\n" + rooms + "```\n```mermaid\nsequenceDiagram\n  actor you\n  participant m as mech\n  participant dp\n" + flow + "```\n",
		}
	}
	const (
		upper = "  up[\"<b>Up</b><br/>mech\"]\n"
		lower = "  low[\"<b>Low</b><br/>dp\"]\n"
		down  = "  up --> low\n"
		calls = "  you-)m: ask\n  m->>dp: check\n  dp-->>m: good\n"
	)
	enforce(t, misdrawn, []example{
		{name: "true", files: page(upper+lower+down, calls)},
		{name: "one room", files: page("  all[\"<b>All</b><br/>mech · dp\"]\n", calls)},
		{name: "no picture", files: map[string]string{plan: "# Plan\n"}, want: "no picture"},
		{name: "no room", files: page(upper, calls), want: "package dp is in no room"},
		{name: "two rooms", files: page(upper+lower+down+"  more[\"<b>More</b><br/>dp\"]\n", calls), want: "dp must be a package, in one room"},
		{name: "no package", files: page(upper+lower+down+"  more[\"<b>More</b><br/>cellar\"]\n", calls), want: "cellar must be a package"},
		{name: "no arrow", files: page(upper+lower, calls), want: "mech imports dp, and no arrow leads from up to low"},
		{name: "arrow against imports", files: page(upper+lower+down+"  low --> up\n", calls), want: "an arrow leads from low to up, and no import"},
		{name: "call against the imports", files: page(upper+lower+down, calls+"  dp->>m: no\n"), want: "dp calls mech in a flow, but does not import it"},
		{name: "stranger", files: page(upper+lower+down, calls+"  m->>x: hello\n"), want: "has an end that is not declared"},
		{name: "no such package", files: page(upper+lower+down, "  participant cellar\n"), want: "cellar takes part in a flow"},
	})
}
