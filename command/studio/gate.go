package studio

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"sotto/service/httpserve"
)

// gate lets in who has a secret. What it gives is sent as a header, which a page
// must set by itself: a cookie would be sent along to every other port of this
// machine, and by every other page.
type gate struct {
	secret string // that was printed

	mu       sync.Mutex // guards the rest
	once     map[string]*visit
	sessions map[string]bool
}

// visit is what came of a code that lets in once.
type visit struct {
	session string // "" while it is unused
}

func (g *gate) open() error {
	g.secret = rand.Text()
	g.once, g.sessions = map[string]*visit{}, map[string]bool{}
	if len(g.secret) < 20 {
		return errors.New("studio: no secret was drawn")
	}
	return nil
}

// code returns a new code that lets in once.
func (g *gate) code() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := rand.Text()
	g.once[c] = &visit{}
	return c
}

// enter returns a session for a secret, and "" for what is none. A code that
// comes a second time was seen by somebody: both are put out.
func (g *gate) enter(secret string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	session := rand.Text()
	if subtle.ConstantTimeCompare([]byte(secret), []byte(g.secret)) == 1 {
		g.sessions[session] = true
		return session
	}
	v := g.once[secret]
	switch {
	case v == nil:
		return ""
	case v.session != "":
		delete(g.sessions, v.session)
		return ""
	}
	v.session = session
	g.sessions[session] = true
	return session
}

var errOutside = &Problem{http.StatusUnauthorized, "this page has not been let in: open the address that sotto studio printed in the terminal"}

// check refuses a request without a session.
func (g *gate) check(r *http.Request) error {
	session, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	g.mu.Lock()
	defer g.mu.Unlock()
	if !ok || !g.sessions[session] {
		return errOutside
	}
	return nil
}

// enter handles "POST /api/enter".
func (s *Studio) enter(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Secret string `json:"secret"`
	}
	if err := ReadUpTo(w, r, &q, 1<<10); err != nil { // who sends it is not known yet
		return err
	}
	session := s.gate.enter(q.Secret)
	if session == "" {
		return errOutside
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"session": session})
}

// maxRequest bounds what a page may ask at once, but for files.
const maxRequest = 1 << 20

// Read reads the JSON of a request into what to points to. It refuses what to has no field
// for, anything behind it, and more than a megabyte.
func Read(w http.ResponseWriter, r *http.Request, to any) error {
	return ReadUpTo(w, r, to, maxRequest)
}

// ReadUpTo is [Read] for requests that hold a file, of so many bytes at most.
func ReadUpTo(w http.ResponseWriter, r *http.Request, to any, most int64) error {
	body, err := httpserve.ReadBody(w, r, most)
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil || d.More() {
		return &Problem{http.StatusBadRequest, "the request is not what this page sends: load the page anew"}
	}
	return nil
}
