package httpserve

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// WriteJSON answers with v, or returns an error before it has written anything.
// That the client has gone can be told to nobody.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	w.Write(append(body, '\n')) //nolint:errcheck // see above
	return nil
}
