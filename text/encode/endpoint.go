package encode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sotto/compute/nn"
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
	to     *Address
	name   string
	dim    int
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
	e := &Endpoint{config: c, name: endpointName(u, c), dim: c.Dim}
	e.config.Batch = cmp.Or(c.Batch, 64)
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") + "/v1/embeddings"
	if e.to, err = NewAddress(AddressConfig{
		URL: u.Scheme + "://" + u.Host + path, KeyVar: c.KeyVar, Timeout: c.Timeout, Attempts: c.Attempts, Backoff: c.Backoff,
	}); err != nil {
		return nil, err
	}
	if e.dim == 0 {
		rows, err := e.ask(ctx, []string{probeText})
		if err != nil {
			return nil, err
		}
		if reason := take(nil, rows[0]); reason != "" {
			return nil, e.to.Errorf("a vector %s", reason)
		}
		e.dim = len(rows[0])
	}
	return e, nil
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
				return e.to.Errorf("a vector %s", reason)
			}
		}
		return nil
	})
}
