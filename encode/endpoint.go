package encode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sotto/nn"
)

// EndpointConfig says how to reach an [Endpoint].
type EndpointConfig struct {
	Base     string        // address before /v1/embeddings: https, or http on this machine
	Model    string        // as the endpoint calls it
	KeyVar   string        // environment variable that holds the key; empty means no key
	Dim      int           // length of the vectors; 0 means that the endpoint is asked, with the text "a"
	Batch    int           // texts in a request; 0 means 64
	Timeout  time.Duration // of one request; 0 means a minute
	Attempts int           // at a request that is answered with status 429 or 5xx; 0 means 5
	Backoff  time.Duration // before the second attempt, and doubled each time; 0 means half a second
}

// Endpoint gets vectors from an address that speaks the embeddings protocol of
// OpenAI, as many servers of models do.
//
// It sends every text to that address, as it is: the address must be on the
// trusted side, run by whoever may read the texts. To keep them there, it
// follows no redirect, uses no proxy, and takes an address with http only if it
// is on this machine.
//
// A text of white space alone is not sent, because endpoints refuse it, and gives
// zeros. No error shows a text, the key or what the endpoint says. Whether equal
// texts give equal bits is up to the endpoint.
type Endpoint struct {
	config EndpointConfig
	url    string
	host   string
	name   string
	key    string
	dim    int
	client *http.Client
}

var _ BatchEncoder = (*Endpoint)(nil)

// NewEndpoint checks the configuration and, unless it gives the length of the
// vectors, asks the endpoint for it.
func NewEndpoint(ctx context.Context, c EndpointConfig) (*Endpoint, error) {
	u, err := parseBase(c.Base)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Model == "":
		return nil, errors.New("encode: model of the endpoint is empty, must be the name of one")
	case c.Dim < 0 || c.Dim > maxForeignDim:
		return nil, fmt.Errorf("encode: dim of the endpoint is %d, must be 1 to %d, or 0 to ask", c.Dim, maxForeignDim)
	case c.Batch < 0 || c.Timeout < 0 || c.Attempts < 0 || c.Backoff < 0:
		return nil, errors.New("encode: a limit of the endpoint is negative, must not be")
	}
	e := &Endpoint{config: c, host: u.Host, name: endpointName(u, c), dim: c.Dim}
	e.config.Batch, e.config.Attempts = cmp.Or(c.Batch, 64), cmp.Or(c.Attempts, 5)
	e.config.Backoff = cmp.Or(c.Backoff, 500*time.Millisecond)
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") + "/v1/embeddings"
	e.url = u.Scheme + "://" + u.Host + path
	if c.KeyVar != "" {
		if e.key = os.Getenv(c.KeyVar); !plainKey(e.key) {
			return nil, fmt.Errorf("encode: environment variable %s holds no key, must hold one of printable characters without spaces", c.KeyVar)
		}
	}
	e.client = newClient(u.Scheme, cmp.Or(c.Timeout, time.Minute))
	if e.dim == 0 {
		rows, err := e.ask(ctx, []string{probeText})
		if err != nil {
			return nil, err
		}
		if reason := take(nil, rows[0]); reason != "" {
			return nil, e.errorf("a vector %s", reason)
		}
		e.dim = len(rows[0])
	}
	return e, nil
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

// endpointName is what [Open] makes the endpoint from again.
func endpointName(u *url.URL, c EndpointConfig) string {
	q := url.Values{"model": {c.Model}}
	for key, value := range map[string]string{"key": c.KeyVar, "dim": number(c.Dim), "batch": number(c.Batch)} {
		if value != "" {
			q.Set(key, value)
		}
	}
	return "endpoint:" + u.String() + "?" + q.Encode()
}

// number renders n, and 0 as nothing.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// openEndpoint makes an endpoint from its name.
func openEndpoint(ctx context.Context, address string) (*Endpoint, error) {
	base, query, _ := strings.Cut(address, "?")
	options, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("encode: options of the endpoint are not like model=NAME&key=VARIABLE, must be")
	}
	c := EndpointConfig{Base: base}
	for key, values := range options {
		err := error(nil)
		switch key {
		case "model":
			c.Model = values[0]
		case "key":
			c.KeyVar = values[0]
		case "dim":
			c.Dim, err = strconv.Atoi(values[0])
		case "batch":
			c.Batch, err = strconv.Atoi(values[0])
		default:
			return nil, fmt.Errorf("encode: options of the endpoint have %.20q, must be model, key, dim and batch", key)
		}
		if err != nil || len(values) != 1 {
			return nil, fmt.Errorf("encode: option %s of the endpoint must be given once, dim and batch as whole numbers", key)
		}
	}
	return NewEndpoint(ctx, c)
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

// Name implements [Source].
func (e *Endpoint) Name() string { return e.name }

// Dim implements [Source].
func (e *Endpoint) Dim() int { return e.dim }

// EncodeBatch implements [BatchEncoder]. So many workers are so many requests at
// a time.
func (e *Endpoint) EncodeBatch(ctx context.Context, dst nn.Matrix, texts []string, workers int) error {
	checkShape(dst, len(texts), e.dim)
	if err := checkWorkers(workers); err != nil {
		return err
	}
	clear(dst.Data)
	var spoken []int // the texts that say anything
	for i, s := range texts {
		if strings.TrimSpace(s) != "" {
			spoken = append(spoken, i)
		}
	}
	return inChunks(ctx, len(spoken), e.config.Batch, workers, func(ctx context.Context, lo, hi int) error {
		batch := make([]string, 0, hi-lo)
		for _, i := range spoken[lo:hi] {
			batch = append(batch, texts[i])
		}
		rows, err := e.ask(ctx, batch)
		if err != nil {
			return err
		}
		for k, i := range spoken[lo:hi] {
			if reason := take(dst.Row(i), rows[k]); reason != "" {
				return e.errorf("a vector %s", reason)
			}
		}
		return nil
	})
}

// errorf returns an error about the endpoint.
func (e *Endpoint) errorf(format string, args ...any) error {
	return fmt.Errorf("encode: endpoint %s: %w", e.host, fmt.Errorf(format, args...))
}
