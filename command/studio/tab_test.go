package studio_test

import (
	"net/http"
	"strings"
	"testing"

	"sotto/command/studio"
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
	page := b.send("GET", "/", "").Body.String()
	for _, want := range []string{`id="tab-greet"`, `aria-controls="panel-greet"`, `<h2>Greetings</h2>`, `src="/tabs/greet.js"`, `id="panel-data"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	w := b.send("GET", "/tabs/greet.js", "")
	if got := w.Header().Get("Content-Type"); got != "text/javascript; charset=utf-8" || w.Body.String() != greet().Script {
		t.Errorf("the script comes as %s: %s", got, w.Body)
	}
	var got map[string]string
	if b.ask("GET", "/api/greet/to/anna", "", http.StatusOK, &got); got["hello"] != "anna" {
		t.Errorf("its route answers %v", got)
	}
	// A panic says where it happened, and not what it was about.
	if w := b.send("POST", "/api/greet/fail", ""); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("a panic is answered with %d %s", w.Code, w.Body)
	}
	b.session = ""
	if w := b.send("GET", "/api/greet/to/anna", ""); w.Code != http.StatusUnauthorized {
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
func TestMarkup(t *testing.T) {
	for _, x := range studio.Tabs() {
		if !strings.Contains(x.HTML, "<h2") || strings.Contains(x.HTML, "style=") || strings.Contains(x.HTML, " on") && strings.Contains(x.HTML, "=\"javascript") {
			t.Errorf("tab %s must have a heading and no style or script of its own", x.Name)
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://"} {
			if strings.Contains(x.Script, bad) {
				t.Errorf("the script of tab %s has %s", x.Name, bad)
			}
		}
	}
}
