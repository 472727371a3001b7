package encode

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"time"

	"sotto/text"
)

// maxWait is the longest that an address can make us wait before another try.
const maxWait = 30 * time.Second

// AddressConfig says how to reach an [Address].
type AddressConfig struct {
	URL      string        // https, or http on this machine
	KeyVar   string        // environment variable that holds the key; empty means no key
	Timeout  time.Duration // of one request; 0 means a minute
	Attempts int           // at a request that is answered with status 429 or 5xx; 0 means 5
	Backoff  time.Duration // before the second attempt, and doubled each time; 0 means half a second
}

// Address is where JSON is posted to that holds texts: it must be on the trusted
// side, run by whoever may read them. To keep them there, it follows no redirect, uses
// no proxy, and takes an address with http only if it is on this machine. No error
// shows what was posted, the key, or what came back. It is safe for concurrent use.
type Address struct {
	config AddressConfig
	host   string
	key    string
	client *http.Client
}

// NewAddress checks the configuration. Nothing is sent.
func NewAddress(c AddressConfig) (*Address, error) {
	u, err := parseBase(c.URL)
	if err != nil {
		return nil, err
	}
	if c.Timeout < 0 || c.Attempts < 0 || c.Backoff < 0 {
		return nil, errors.New("encode: a limit of the endpoint is negative, must not be")
	}
	a := &Address{config: c, host: u.Host, client: newClient(u.Scheme, cmp.Or(c.Timeout, time.Minute))}
	a.config.Attempts, a.config.Backoff = cmp.Or(c.Attempts, 5), cmp.Or(c.Backoff, 500*time.Millisecond)
	if c.KeyVar != "" {
		if a.key = os.Getenv(c.KeyVar); !plainKey(a.key) {
			return nil, fmt.Errorf("encode: environment variable %s holds no key, must hold one of printable characters without spaces", c.KeyVar)
		}
	}
	return a, nil
}

// Local reports whether the address is on this machine by its name or number.
func (a *Address) Local() bool {
	u, err := url.Parse(a.config.URL)
	return err == nil && onThisMachine(u.Hostname())
}

// Errorf returns an error about the address.
func (a *Address) Errorf(format string, args ...any) error {
	return fmt.Errorf("encode: endpoint %s: %w", a.host, fmt.Errorf(format, args...))
}

// parseBase refuses an address over which texts would be open to others.
func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("encode: address of the endpoint is not like https://host or http://localhost:8080, must be")
	}
	if u.User != nil || u.Fragment != "" || u.RawQuery != "" {
		return nil, errors.New("encode: address of the endpoint has a user, a query or a fragment, must have none; a key belongs into an environment variable")
	}
	if u.Scheme == "http" && !onThisMachine(u.Hostname()) {
		return nil, fmt.Errorf("encode: address of the endpoint is http and its host %s, must be https: others could read the texts", u.Host)
	}
	return u, nil
}

// onThisMachine reports whether a host is this machine by its name or number.
func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// plainKey reports whether a key can stand in a header.
func plainKey(key string) bool {
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return key != ""
}

// newClient makes a client that sends nothing anywhere else.
func newClient(scheme string, timeout time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if scheme == "http" {
		// A name stands for this machine only if it leads to it.
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			if a, err := netip.ParseAddrPort(address); err != nil || !a.Addr().IsLoopback() {
				return errNotHere
			}
			return nil
		}
	}
	return &http.Client{
		Timeout:       timeout,
		Transport:     &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

var errNotHere = errors.New("the host is not on this machine, must be for http")

// Post sends JSON and returns the answer, of at most so many bytes. It tries again
// for as long as whoever answers is only busy.
func (a *Address) Post(ctx context.Context, body []byte, limit int64) ([]byte, error) {
	wait := a.config.Backoff
	for attempt := 1; ; attempt++ {
		answer, status, after, err := a.post(ctx, body, limit)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if status == http.StatusOK {
			return answer, nil
		}
		if status != http.StatusTooManyRequests && status < 500 || attempt == a.config.Attempts {
			return nil, a.Errorf("it answered with status %d at attempt %d, must be 200", status, attempt)
		}
		// Half of the wait is left to the clock, so that many who were refused together do
		// not come again together.
		half := uint64(wait / 2)
		pause := max(time.Duration(half+text.HashEnd(uint64(time.Now().UnixNano()))%(half+1)), after)
		timer := time.NewTimer(min(pause, maxWait))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		wait = min(2*wait, maxWait)
	}
}

// post sends a request and returns the body of an answer with status 200, or
// else the status and how long the endpoint asks to be left alone.
func (a *Address) post(ctx context.Context, body []byte, limit int64) (answer []byte, status int, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.config.URL, bytes.NewReader(body))
	if err != nil {
		return nil, 0, 0, a.Errorf("the request cannot be made")
	}
	req.Header.Set("Content-Type", "application/json")
	if a.key != "" {
		req.Header.Set("Authorization", "Bearer "+a.key)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, 0, 0, a.Errorf("it did not answer: %w", safe(err))
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if resp.StatusCode != http.StatusOK {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if it is a date
		return nil, resp.StatusCode, time.Duration(max(0, min(seconds, 3600))) * time.Second, nil
	}
	answer, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, 0, 0, a.Errorf("its answer broke off: %w", safe(err))
	}
	if int64(len(answer)) > limit {
		return nil, 0, 0, a.Errorf("its answer has more than %d bytes, must have fewer", limit)
	}
	return answer, http.StatusOK, 0, nil
}

// safe returns what may be shown of an error of the network. Errors of the
// protocol quote what came over the wire, which could be a text sent back.
func safe(err error) error {
	var timeout net.Error
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errNotHere):
		return errNotHere
	case errors.As(err, &certificate):
		return errors.New("its certificate is not trusted")
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("the time is up")
	case errors.As(err, &op) && op.Op == "dial":
		return errors.New("there is no connection to it")
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op):
		return errors.New("the connection was closed")
	}
	return errors.New("what came is not HTTP")
}
