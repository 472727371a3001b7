package studio

import (
	"bytes"
	_ "embed" // the page
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"

	"sotto/service/httpserve"
)

// Tab is one step of the page: what is shown of a feature, and what it can be
// asked. Its markup and script are part of the program, never of the data.
type Tab struct {
	Name  string // in addresses and in markup: small letters
	Title string // on the tab: a word
	// HTML is the inside of the tab's panel, whose heading is an h2.
	HTML string
	// Script is a module. It imports what all share from /studio.js, and finds
	// its panel as the element whose id is "panel-" and the name.
	Script string
	// Before is the name of the tab that it stands before, where there is one. Otherwise
	// it stands at the end.
	Before string
	// Routes are what the tab answers, by method and path, such as "POST start",
	// which is then asked as /api/NAME/start. Nobody is answered who was not let in. What
	// they share is kept by who made the tab, which is for one studio.
	Routes map[string]func(*Studio, http.ResponseWriter, *http.Request) error
}

// Tabs lists the tabs of the core. A new one of it is a line here; others are handed in by
// [Config].
func Tabs() []Tab {
	return []Tab{dataTab(), planTab(), trainTab(), tryTab(), reportTab()}
}

// arranged puts tabs before those that they name.
func arranged(tabs []Tab) []Tab {
	all := slices.DeleteFunc(slices.Clone(tabs), func(t Tab) bool { return t.Before != "" })
	for _, t := range tabs {
		if t.Before == "" {
			continue
		}
		at := slices.IndexFunc(all, func(other Tab) bool { return other.Name == t.Before })
		if at < 0 {
			at = len(all)
		}
		all = slices.Insert(all, at, t)
	}
	return all
}

var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/studio.css
	pageStyle string
	//go:embed assets/studio.js
	pageScript string

	pageForm = template.Must(template.New("page").Parse(pageHTML))
	tabName  = regexp.MustCompile(`^[a-z]+$`)
	route    = regexp.MustCompile(`^(GET|POST|DELETE) ([a-z0-9/{}.-]+)$`)
)

// panel is a tab as the page's template sees it.
type panel struct {
	Name, Title string
	HTML        template.HTML
	Number      int
}

// addPage registers the page, its files, and what its tabs answer.
func (s *Studio) addPage() error {
	var panels []panel
	for i, t := range s.Tabs {
		if !tabName.MatchString(t.Name) || t.Title == "" || t.HTML == "" {
			return fmt.Errorf("studio: tab is %q with the title %q, must have a name of small letters, a title and markup", t.Name, t.Title)
		}
		if slices.ContainsFunc(panels, func(p panel) bool { return p.Name == t.Name }) {
			return fmt.Errorf("studio: two tabs have the name %s, must be one", t.Name)
		}
		panels = append(panels, panel{t.Name, t.Title, template.HTML(t.HTML), i + 1})
		s.handle("GET /tabs/"+t.Name+".js", file("text/javascript", t.Script), false)
		for pattern, f := range t.Routes {
			m := route.FindStringSubmatch(pattern)
			if m == nil {
				return fmt.Errorf("studio: tab %s has the route %q, must be a method and a path such as POST start", t.Name, pattern)
			}
			s.handle(m[1]+" /api/"+t.Name+"/"+m[2], func(w http.ResponseWriter, r *http.Request) error { return f(s, w, r) }, true)
		}
	}
	if len(panels) == 0 {
		return errors.New("studio: there is no tab")
	}
	var b bytes.Buffer
	if err := pageForm.Execute(&b, panels); err != nil {
		return err
	}
	s.handle("GET /{$}", file("text/html", b.String()), false)
	s.handle("GET /studio.css", file("text/css", pageStyle), false)
	s.handle("GET /studio.js", file("text/javascript", pageScript), false)
	return nil
}

// file answers with a file of the program.
func file(kind, content string) httpserve.Action {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		w.Write([]byte(content)) //nolint:errcheck // that the client has gone can be told to nobody
		return nil
	}
}
