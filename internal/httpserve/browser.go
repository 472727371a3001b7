package httpserve

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Shield sets the headers under which a page is sent: its policy, and that it is
// not stored, guessed at, named to others, or reached by pages of other sites.
func Shield(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// Loopback reports whether a host, with or without a port, is a name of this
// machine that nobody else can give to it. A foreign site can point a name of its
// own here, and its page would then be of the same origin.
func Loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// SameOrigin reports whether a browser says that the service's own page asks.
func SameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && origin.Host != "" && origin.Host == r.Host
}
