package httpserve_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"sotto/service/httpserve"
)

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:80": true, "127.0.0.1": true, "127.0.0.1:8789": true, "127.9.9.9:1": true, "[::1]:80": true, "[::1]": true, "::1": true,
		"": false, ":80": false, "0.0.0.0:80": false, "[::]:80": false, "10.1.1.1:80": false, "evil.example": false, "localhost.evil.example": false,
		"127.0.0.1.evil.example:80": false, "localhost.": false, "2130706433": false, "127.1": false,
	} {
		if got := httpserve.Loopback(host); got != want {
			t.Errorf("Loopback(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for _, tt := range []struct {
		name, site, origin string
		want               bool
	}{
		{"own page", "same-origin", "http://localhost:1", true},
		{"own page, old browser", "", "http://localhost:1", true},
		{"another port", "same-site", "http://localhost:2", false},
		{"another port, old browser", "", "http://localhost:2", false},
		{"another site", "cross-site", "http://evil.example", false},
		{"a header that lies is not mended by the other", "cross-site", "http://localhost:1", false},
		{"typed", "none", "", false},
		{"no browser", "", "", false},
		{"a page of no origin", "", "null", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost:1/", nil)
			r.Header.Set("Sec-Fetch-Site", tt.site)
			r.Header.Set("Origin", tt.origin)
			if got := httpserve.SameOrigin(r); got != tt.want {
				t.Errorf("SameOrigin = %v, want %v", got, tt.want)
			}
		})
	}
}

// What stands where a port should be is no way to make a foreign name one of this
// machine's.
func TestLoopbackPort(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "localhost:": true, "127.0.0.1:80.evil.example": false, "localhost:evil.example": false, "localhost:-1": false,
	} {
		if got := httpserve.Loopback(host); got != want {
			t.Errorf("Loopback(%q) = %v, want %v", host, got, want)
		}
	}
}
