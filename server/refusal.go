package server

import (
	"encoding/json"
	"errors"
	"net/http"
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
	errGone     = &refusal{"the request was given up", "cancelled", http.StatusRequestTimeout}
	errRoute    = &refusal{"there is no such path here, or not for this method", "not_found", http.StatusNotFound}
	errUnknown  = &refusal{"there is no such model here", "model_not_found", http.StatusNotFound}
	errTooLarge = &refusal{"the body is larger than this server takes", "body_too_large", http.StatusRequestEntityTooLarge}
	errBody     = &refusal{"the body did not arrive", "incomplete_body", http.StatusRequestTimeout}
)

// reply writes a JSON answer.
func reply(w http.ResponseWriter, status int, message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // whoever asked is gone
	return nil
}

// refuse writes the answer to an error and returns its status.
func refuse(w http.ResponseWriter, err error) int {
	r := errFault
	errors.As(err, &r)
	if r == errBusy {
		w.Header().Set("Retry-After", "1")
	}
	_ = reply(w, r.status, r) // two strings are always JSON
	return r.status
}
