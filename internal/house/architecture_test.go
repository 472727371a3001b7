package house_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plan is the page with the rooms and the flows.
const plan = "docs/architecture.md"

var (
	mermaid     = regexp.MustCompile("(?s)```mermaid\n(.*?)```")
	roomRow     = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| .+ \\|$")
	participant = regexp.MustCompile(`(?m)^\s*participant (\w+)(?: as (\S+))?$`)
	actor       = regexp.MustCompile(`(?m)^\s*actor (\w+)`)
	message     = regexp.MustCompile(`(?m)^\s*(\w+)(->>|-->>|-\))(\w+): `)
)

// outhouses are the folders with code that lie beside the house: modules of their own, and
// what makes what is handed out.
var outhouses = []string{"batch", "deploy", "examples", "integration"}

// The root package is the API of the rooms above commands, and no room uses it.
const (
	rootPackage = "."
	commands    = "command"
)

// misdrawn finds what the page says wrongly: of the rooms, and of the steps of a flow.
func misdrawn(t *tree) []string {
	_, table, _ := strings.Cut(t.text[plan], "## The rooms")
	table, _, _ = strings.Cut(table, "\n## ")
	var rooms []string
	for _, m := range roomRow.FindAllStringSubmatch(table, -1) {
		rooms = append(rooms, m[1])
	}
	found := unroomed(t, rooms)
	for _, p := range mermaid.FindAllStringSubmatch(t.text[plan], -1) {
		found = append(found, misdrawnFlow(t, p[1])...)
	}
	return found
}

// unroomed finds packages in no room, rooms without packages, and imports from a room
// that lies below, or of the root package. That itself may import what lies above commands.
func unroomed(t *tree, rooms []string) (found []string) {
	empty := slices.Clone(rooms)
	all := imports(t)
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		room, _, _ := strings.Cut(dir, "/")
		empty = slices.DeleteFunc(empty, func(r string) bool { return r == room })
		at := slices.Index(rooms, room)
		if dir == rootPackage {
			room, at = "the root package", slices.Index(rooms, commands)-1
		}
		if slices.Contains(outhouses, room) {
			continue
		}
		if at < 0 && dir != rootPackage {
			found = append(found, fmt.Sprintf("%s: package %s is in no room, must be in one of %s", plan, dir, strings.Join(rooms, ", ")))
			continue
		}
		for _, own := range slices.Sorted(maps.Keys(all[dir])) {
			other, _, _ := strings.Cut(own, "/")
			switch {
			case own == rootPackage:
				found = append(found, fmt.Sprintf("%s imports the root package, which is for others", dir))
			case slices.Index(rooms, other) > at:
				found = append(found, fmt.Sprintf("%s imports %s, but %s lies below %s", dir, own, other, room))
			}
		}
	}
	for _, room := range empty {
		found = append(found, fmt.Sprintf("%s: the room %s has no package", plan, room))
	}
	return found
}

// isPackage reports whether a folder holds Go code.
func isPackage(t *tree, dir string) bool {
	return slices.ContainsFunc(t.code, func(s source) bool { return s.dir() == dir })
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
			"low/a/a.go": "package a", "up/b/b.go": "package b\nimport \"sotto/low/a\"", "batch/b.go": "package b\nimport \"sotto/up/b\"",
			"command/c/c.go": "package c", "api.go": "package sotto\nimport \"sotto/up/b\"",
			plan: "# Plan\n## The rooms\n" + rooms + "| `command` | what is typed |\n\n## A flow\n```mermaid\nsequenceDiagram\n  actor you\n  participant b as up/b\n  participant a as low/a\n" + flow + "```\n",
		}
	}
	besides := func(path, content string) map[string]string {
		files := page("| `low` | the ground |\n| `up` | all else |\n", "")
		files[path] = content
		return files
	}
	const (
		low   = "| `low` | the ground |\n"
		up    = "| `up` | all else |\n"
		calls = "  you-)b: ask\n  b->>a: check\n  a-->>b: good\n"
	)
	enforce(t, misdrawn, []example{
		{name: "true", files: page(low+up, calls)},
		{name: "no room", files: page(up, calls), want: "package low/a is in no room"},
		{name: "an import from below", files: page(up+low, calls), want: "up/b imports low/a, but low lies below up"},
		{name: "an empty room", files: page(low+up+"| `cellar` | nothing |\n", calls), want: "the room cellar has no package"},
		{name: "call against the imports", files: page(low+up, calls+"  a->>b: no\n"), want: "low/a calls up/b in a flow, but does not import it"},
		{name: "stranger", files: page(low+up, calls+"  b->>x: hello\n"), want: "has an end that is not declared"},
		{name: "the API above commands", files: besides("api.go", "package sotto\nimport \"sotto/command/c\""), want: ". imports command/c, but command lies below the root package"},
		{name: "the API in a room", files: besides("command/c/d.go", "package c\nimport \"sotto\""), want: "command/c imports the root package"},
		{name: "no such package", files: page(low+up, "  participant cellar\n"), want: "cellar takes part in a flow"},
	})
}
