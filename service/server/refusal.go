package server

import (
	"errors"
	"net/http"

	"sotto/service/httpserve"
)

// refusal is an answer that is not what was asked for. The protocol has the
// sentence alone; the code is for programs.
type refusal struct {
	Message string `json:"error"`
	Code    string `json:"code"`
	status  int
}

// Error implements error.
func (r *refusal) Error() string { return r.Message }

func bad(code, message string) error { return &refusal{message, code, http.StatusBadRequest} }

var (
	errFault    = &refusal{"internal fault", "internal", http.StatusInternalServerError}
	errBusy     = &refusal{"too many requests are being worked on; try again", "overloaded", http.StatusServiceUnavailable}
	errShare    = &refusal{"too many requests of this address are being worked on; try again", "overloaded", http.StatusTooManyRequests}
	errGone     = &refusal{"the request was given up", "cancelled", http.StatusRequestTimeout}
	errRoute    = &refusal{"there is no such path here, or not for this method", "not_found", http.StatusNotFound}
	errUnknown  = &refusal{"there is no such model here", "model_not_found", http.StatusNotFound}
	errTooLarge = &refusal{"the body is larger than this server takes", "body_too_large", http.StatusRequestEntityTooLarge}
	errEnding   = &refusal{"the server is ending", "not_ready", http.StatusServiceUnavailable}
	errBody     = &refusal{"the body did not arrive", "incomplete_body", http.StatusRequestTimeout}
)

// refusalOf returns what is said of an error: its own words, or that it is a fault.
func refusalOf(err error) *refusal {
	r := errFault
	errors.As(err, &r)
	return r
}

// refuse writes the answer to an error.
func (s *Server) refuse(w http.ResponseWriter, err error) (status int, reason string) {
	r := refusalOf(err)
	s.refused.WithLabelValues(r.Code).Inc()
	if _, call := w.(httpserve.GRPCWriter); call && r.status != http.StatusUnsupportedMediaType {
		httpserve.FailGRPC(w, statusOf(r), r.Message, "Sotto-Code", r.Code)
		return r.status, err.Error()
	}
	if r.Code == errBusy.Code {
		w.Header().Set("Retry-After", "1")
	}
	_ = httpserve.WriteJSON(w, r.status, r) // two strings are always JSON
	return r.status, err.Error()
}
