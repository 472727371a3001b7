package studio

import (
	"net/http"
	"strings"

	"sotto/service/httpserve"
)

// policy allows the page nothing but its own files and questions to its own
// address; only a report is framed. Scripts cannot make markup of text.
var policy = strings.Join([]string{
	"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "frame-src 'self'",
	"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
}, "; ")

// shownPolicy is that of a finished page: it runs nothing, asks for nothing and
// is of no origin. Its style stands in it.
const shownPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups"

// guard sets what every answer has, and refuses requests that do not come from
// this machine's own page or a program of its user.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserve.Shield(w.Header(), policy)
		switch {
		case !httpserve.Loopback(r.Host):
			refuse(w, &Problem{http.StatusForbidden, "the studio is for this machine alone: open it as 127.0.0.1 or localhost"})
		case foreign(r):
			refuse(w, &Problem{http.StatusForbidden, "pages of other sites may not ask"})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// foreign reports whether a page of another site asks. A person may follow a link
// to the page itself from anywhere: it holds nothing without the secret, and no
// other page can look into it.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case site == "" && r.Header.Get("Origin") == "": // not a browser, or not one that says
		return false
	case httpserve.SameOrigin(r):
		return false
	}
	typed := site == "none" || r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	return !typed || r.Method != http.MethodGet || r.URL.Path != "/" && r.URL.Path != "/healthz" && !strings.HasPrefix(r.URL.Path, "/shown/")
}
