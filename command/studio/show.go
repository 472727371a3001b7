package studio

import (
	"crypto/rand"
	"net/http"
	"sync"

	"sotto/service/httpserve"
)

// shown are finished pages and files that the browser fetches by itself, in a
// frame or as a download, where it can send no header: each under an address that
// nobody can guess.
type shown struct {
	mu  sync.Mutex // guards all
	all []finished // the oldest first
}

// finished is something to fetch.
type finished struct {
	ticket string
	send   httpserve.Action
}

// mostShown bounds what is remembered.
const mostShown = 16

// Show keeps something to be fetched and returns its address.
func (s *Studio) Show(send httpserve.Action) string {
	s.shown.mu.Lock()
	defer s.shown.mu.Unlock()
	if len(s.shown.all) == mostShown {
		s.shown.all = s.shown.all[1:]
	}
	f := finished{rand.Text(), send}
	s.shown.all = append(s.shown.all, f)
	return "/shown/" + f.ticket
}

// show handles "GET /shown/{ticket}".
func (s *Studio) show(w http.ResponseWriter, r *http.Request) error {
	s.shown.mu.Lock()
	var send httpserve.Action
	for _, f := range s.shown.all {
		if f.ticket == r.PathValue("ticket") {
			send = f.send
		}
	}
	s.shown.mu.Unlock()
	if send == nil {
		return &Problem{http.StatusNotFound, "this is not shown any more: open it again from the studio"}
	}
	w.Header().Set("Content-Security-Policy", shownPolicy)
	return send(w, r)
}
