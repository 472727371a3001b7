package httpserve

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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
	host = nameOf(host)
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Named reports whether a host, with or without a port, is one of the names.
func Named(host string, names []string) bool {
	host = nameOf(host)
	return host != "" && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(nameOf(n), host) })
}

// nameOf is a host without port and brackets. What stands where a port should and
// is no number is part of a name.
func nameOf(host string) string {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
			return host
		}
		host = name
	}
	return strings.Trim(host, "[]")
}

// Foreign reports whether a browser says that the page of another site asks. What
// is no browser says nothing.
func Foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	return r.Header.Get("Origin") != "" && !SameOrigin(r)
}

// SameOrigin reports whether a browser says that the service's own page asks.
func SameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && origin.Host != "" && origin.Host == r.Host
}
