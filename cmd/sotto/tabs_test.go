package main

import (
	"net/http"
	"regexp"
	"slices"
	"testing"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
)

// TestTabs holds the page of the studio against the steps that it has with all studies, and
// every tab of a study against what markup must have.
func TestTabs(t *testing.T) {
	tabs := studio.Tabs()
	for _, s := range studies() {
		tabs = append(tabs, s.Tabs...)
	}
	studiotest.Markup(t, tabs)
	b := studiotest.Start(t, studio.Config{Tabs: tabs})
	page := b.Send("GET", "/", "").Body.String()
	var got []string
	for _, m := range regexp.MustCompile(`id="tab-([a-z]+)"`).FindAllStringSubmatch(page, -1) {
		got = append(got, m[1])
	}
	if want := []string{"data", "plan", "train", "try", "explain", "report", "link", "errors", "relations"}; !slices.Equal(got, want) {
		t.Errorf("the tabs are %v, want %v", got, want)
	}
	// Nobody is answered by a study's tab who was not let in.
	b.Session = ""
	for _, tab := range tabs {
		for route := range tab.Routes {
			m := regexp.MustCompile(`^([A-Z]+) ([a-z]+)$`).FindStringSubmatch(route)
			if w := b.Send(m[1], "/api/"+tab.Name+"/"+m[2], "{}"); w.Code != http.StatusUnauthorized {
				t.Errorf("without a session %s of the tab %s is answered with %d, want 401", route, tab.Name, w.Code)
			}
		}
	}
}
