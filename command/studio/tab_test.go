package studio_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
	"sotto/service/httpserve"
)

// greet is a tab of somebody else's.
func greet() studio.Tab {
	return studio.Tab{
		Name: "greet", Title: "Greet", HTML: `<h2>Greetings</h2><p id="greet-said"></p>`, Script: `import { $ } from "/studio.js"; $("greet-said").textContent = "hello";`,
		Routes: map[string]func(*studio.Studio, http.ResponseWriter, *http.Request) error{
			"GET to/{name}": func(_ *studio.Studio, w http.ResponseWriter, r *http.Request) error {
				return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"hello": r.PathValue("name")})
			},
			"POST fail": func(*studio.Studio, http.ResponseWriter, *http.Request) error { panic("a secret") },
		},
	}
}

// TestForeignTab registers a tab from outside: it is on the page, has its script
// and answers, and nothing else had to change.
func TestForeignTab(t *testing.T) {
	b := start(t, studio.Config{Tabs: append(studio.Tabs(), greet())})
	page := b.Send("GET", "/", "").Body.String()
	for _, want := range []string{`id="tab-greet"`, `aria-controls="panel-greet"`, `<h2>Greetings</h2>`, `src="/tabs/greet.js"`, `id="panel-data"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	w := b.Send("GET", "/tabs/greet.js", "")
	if got := w.Header().Get("Content-Type"); got != "text/javascript; charset=utf-8" || w.Body.String() != greet().Script {
		t.Errorf("the script comes as %s: %s", got, w.Body)
	}
	var got map[string]string
	if b.Ask("GET", "/api/greet/to/anna", "", http.StatusOK, &got); got["hello"] != "anna" {
		t.Errorf("its route answers %v", got)
	}
	// A panic says where it happened, and not what it was about.
	if w := b.Send("POST", "/api/greet/fail", ""); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("a panic is answered with %d %s", w.Code, w.Body)
	}
	b.Session = ""
	if w := b.Send("GET", "/api/greet/to/anna", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("without a session its route answers %d, want 401", w.Code)
	}
}

func TestTabRefused(t *testing.T) {
	for want, change := range map[string]func(*studio.Tab){
		"name of small letters": func(x *studio.Tab) { x.Name = "../x" },
		"a title":               func(x *studio.Tab) { x.Title = "" },
		"and markup":            func(x *studio.Tab) { x.HTML = "" },
		"two tabs":              func(x *studio.Tab) { x.Name = "data" },
		"must be a method": func(x *studio.Tab) {
			x.Routes = map[string]func(*studio.Studio, http.ResponseWriter, *http.Request) error{"/start": nil}
		},
	} {
		x := greet()
		change(&x)
		if s, err := studio.New(studio.Config{Tabs: append(studio.Tabs(), x)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New = %v with the error %v, want %q", s, err, want)
		}
	}
	if _, err := studio.New(studio.Config{Tabs: []studio.Tab{}}); err == nil {
		t.Error("a studio without tabs is made")
	}
}

// TestMarkup looks at what every tab's markup must have.
func TestMarkup(t *testing.T) { studiotest.Markup(t, studio.Tabs()) }

// TestArranged puts a tab before the one that it names, and at the end if there is none.
func TestArranged(t *testing.T) {
	early, late, last := greet(), greet(), greet()
	early.Name, early.Before = "early", "report"
	late.Before = "none"
	last.Name, last.Before = "last", "early"
	b := start(t, studio.Config{Tabs: append([]studio.Tab{early, late, last}, studio.Tabs()...)})
	var got []string
	for _, m := range regexp.MustCompile(`id="tab-([a-z]+)"`).FindAllStringSubmatch(b.Send("GET", "/", "").Body.String(), -1) {
		got = append(got, m[1])
	}
	if want := []string{"data", "plan", "train", "try", "last", "early", "report", "greet"}; !slices.Equal(got, want) {
		t.Errorf("the tabs are %v, want %v", got, want)
	}
}
