package server

import (
	"context"
	"errors"
	"net/http"

	"sotto/service/httpserve"
	"sotto/service/server/kserve"
)

// memoryOfBody is how many times its size a body may come to take.
const memoryOfBody = 8

// largest is how many bytes a request for a model can need: 64 for each number of
// all vectors, which is more than its digits, and what stands around them. More is
// refused before it is read.
func (s *Server) largest(m slot) int64 {
	return min(s.config.MaxBody, 1<<16+64*int64(s.config.MaxRows)*int64(max(1, m.width)))
}

// readBody reads a body of at most so many bytes.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, load *httpserve.Load, most int64) ([]byte, error) {
	body, err := load.ReadBody(w, r, most, nil)
	switch {
	case errors.Is(err, httpserve.ErrTooLarge):
		return nil, errTooLarge
	case errors.Is(err, httpserve.ErrFull):
		s.http.Shed("memory")
		return nil, errBusy
	case err != nil:
		return nil, errBody
	}
	return body, nil
}

// muchToParse is from what size on bodies are parsed in turns.
const muchToParse = 1 << 16

// parse parses a body. If it is large, it waits for a turn: however many come, one
// processor is left for the others.
func (s *Server) parse(r *http.Request, body []byte) (*kserve.Request, error) {
	if len(body) >= muchToParse {
		turn, err := s.turns.Enter(r.Context())
		if err != nil {
			s.http.Shed("turns")
			return nil, errBusy
		}
		defer turn.Leave()
	}
	req, err := kserve.ParseRequest(body, r.Header.Get(kserve.HeaderLength))
	if err != nil {
		return nil, bad("invalid_request", err.Error())
	}
	return req, nil
}

// work takes memory and place for the work on so many vectors, after the body was
// read, so that who sends slowly keeps nobody else out.
func (s *Server) work(ctx context.Context, network string, m slot, load *httpserve.Load, rows int) (httpserve.Place, error) {
	scores := 0
	for _, l := range m.labels {
		scores += len(l.classes)
	}
	// A vector is copied once, and a score has at most 16 digits and signs, which
	// are copied twice.
	if load.Add(int64(rows)*int64(64+8*m.width+64*scores)) != nil {
		s.http.Shed("memory")
		return httpserve.Place{}, errBusy
	}
	place, err := s.places.Enter(ctx, network)
	switch {
	case errors.Is(err, httpserve.ErrShare):
		return place, errShare
	case err != nil:
		s.http.Shed("places")
		return place, errBusy
	}
	return place, nil
}
