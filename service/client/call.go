package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options say how to ask. The zero value serves.
type Options struct {
	Key     string        // API key of the gateway; "" sends none
	Retries int           // after the first attempt; 0 means 3, negative none
	Backoff time.Duration // before the first retry, doubled for each next one; 0 means 100 ms
	HTTP    *http.Client  // for TLS and time-outs of one's own; nil means one with 30 s for each attempt
}

// longestWait bounds what a retry waits for, whatever the other side says.
const longestWait = 10 * time.Second

// What is read of an answer at most, in bytes. Who knows how long an answer can
// be asks for less.
const (
	maxAnswer  = 64 << 20
	maxRefusal = 64 << 10 // of one that is no success
	maxHeader  = 64 << 10
)

// caller sends requests to one address and repeats them.
type caller struct {
	base    string
	key     string
	retries int
	backoff time.Duration
	http    http.Client
}

func newCaller(base string, o Options) (*caller, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, errors.New("client: address must be http:// or https:// with a host, and no user or parameters")
	}
	if o.Backoff < 0 {
		return nil, fmt.Errorf("client: backoff is %v, must not be negative", o.Backoff)
	}
	c := &caller{base: strings.TrimRight(base, "/"), key: o.Key, retries: cmp.Or(o.Retries, 3), backoff: cmp.Or(o.Backoff, 100*time.Millisecond)}
	if o.HTTP != nil {
		c.http = *o.HTTP
	} else {
		c.http = http.Client{Timeout: 30 * time.Second}
		if t, ok := http.DefaultTransport.(*http.Transport); ok { // unless the program put another in its place
			t = t.Clone()
			t.MaxIdleConnsPerHost, t.MaxResponseHeaderBytes = 64, maxHeader
			c.http.Transport = t
		}
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// message is a request, and answer what came back.
type message struct {
	method, path string
	body         []byte
	headers      map[string]string
	most         int64 // bytes of the answer; 0 means maxAnswer
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a message and decodes the answer of success.
func (c *caller) ask(ctx context.Context, m message, to any) error {
	a, err := c.call(ctx, m)
	switch {
	case err != nil:
		return err
	case a.status != http.StatusOK:
		return a.failure()
	}
	return a.decode(to)
}

// decode reads the JSON of an answer.
func (a *answer) decode(to any) error {
	if json.Unmarshal(a.body, to) != nil {
		return malformed("it is not JSON of the protocol")
	}
	return nil
}

// call sends a message until it is answered with success, or with something
// that a retry does not mend, or too often. It returns the last answer; the
// error is of a message that was never answered.
func (c *caller) call(ctx context.Context, m message) (*answer, error) {
	for attempt := 0; ; attempt++ {
		a, err := c.once(ctx, m)
		if err == nil && !a.temporary() || wrong(err) || ctx.Err() != nil || attempt >= c.retries {
			return a, err
		}
		wait := min(c.backoff<<min(attempt, 10), longestWait)
		if a != nil {
			wait = max(wait, min(a.retryAfter(), longestWait))
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return a, err
		}
	}
}

// temporary reports whether the same request may be answered later.
func (a *answer) temporary() bool {
	return slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, a.status)
}

func (a *answer) retryAfter() time.Duration {
	s, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil || s < 0 {
		return 0
	}
	return time.Duration(min(s, 1<<30)) * time.Second
}

func (c *caller) once(ctx context.Context, m message) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, m.method, c.base+m.path, bytes.NewReader(m.body))
	if err != nil {
		return nil, errors.New("client: request cannot be made; the API key or the idempotency key may hold what no header can")
	}
	for name, value := range m.headers {
		r.Header.Set(name, value)
	}
	// Nothing is unpacked, so that no answer is larger than what was sent.
	r.Header.Set("Accept-Encoding", "identity")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return nil, &Unavailable{Err: withoutURL(err)}
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	if packed := res.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		return nil, malformed("it is packed, which nobody asked for")
	}
	most := cmp.Or(m.most, maxAnswer)
	if res.StatusCode != http.StatusOK {
		most = maxRefusal
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		return nil, &Unavailable{Err: withoutURL(err)}
	}
	if int64(len(body)) > most {
		return nil, malformed(fmt.Sprintf("it is longer than the %d bytes that it can need", most))
	}
	return &answer{res.StatusCode, res.Header, body}, nil
}

// withoutURL takes the address from an error, since it can name a user.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
