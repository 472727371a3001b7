package httpserve_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"sotto/service/httpserve"
)

func TestTimeout(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "5S": 5 * time.Second, "100m": 100 * time.Millisecond, "1H": time.Hour, "2M": 2 * time.Minute, "7u": 7 * time.Microsecond, "1n": 1, "0S": 1,
		"2H": 0, "99999999H": 0, "soon": 0, "S": 0, "5": 0, "-5S": 0, "999999999S": 0, "5s": 0,
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set("Grpc-Timeout", header)
		if got := httpserve.GRPCTimeout(r); got != want {
			t.Errorf("Timeout of %q = %v, want %v", header, got, want)
		}
	}
}

func TestMessage(t *testing.T) {
	if m, err := httpserve.GRPCMessage([]byte{0, 0, 0, 0, 2, 'h', 'i'}); err != nil || string(m) != "hi" {
		t.Errorf("Message = %q, %v, want hi", m, err)
	}
	for _, body := range []string{"", "\x00\x00\x00\x00", "\x01\x00\x00\x00\x00", "\x00\x00\x00\x00\x03hi", "\x00\x00\x00\x00\x01hi", "\x00\xff\xff\xff\xffhi"} {
		if m, err := httpserve.GRPCMessage([]byte(body)); err == nil {
			t.Errorf("Message(%q) = %q, want an error", body, m)
		}
	}
}

// TestFail: what a sentence says can be a header.
func TestFail(t *testing.T) {
	w := httptest.NewRecorder()
	httpserve.FailGRPC(w, httpserve.InvalidArgument, "ε is 5%\n", "Sotto-Code", "bad")
	h := w.Result().Header
	if h.Get("Grpc-Status") != "3" || h.Get("Grpc-Message") != "%CE%B5 is 5%25%0A" || h.Get("Sotto-Code") != "bad" {
		t.Errorf("headers %v", h)
	}
}
