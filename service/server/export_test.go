package server

import (
	"context"
	"net/http"
)

// Look takes up changes of the folder, as the server does every second.
func (s *Server) Look() error { return s.refresh(false) }

// Stall does as a disk that does not answer: the folder is being read until
// release is called.
func (s *Server) Stall() (release func()) {
	s.reading <- struct{}{}
	return func() { <-s.reading }
}

// Handle makes a handler of a function.
func (s *Server) Handle(f func(http.ResponseWriter, *http.Request) error) http.Handler {
	return s.http.Handle("test", f)
}

// Occupy takes one of the places for requests, until the function is called.
func (s *Server) Occupy(ctx context.Context) (leave func()) {
	place, err := s.places.Enter(ctx)
	if err != nil {
		panic(err)
	}
	return place.Leave
}
