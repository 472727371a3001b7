package encode

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"sotto/text"
)

// maxWait is the longest that an endpoint can make us wait before another try.
const maxWait = 30 * time.Second

// embeddingsRequest and embeddingsAnswer are the parts of the protocol in use.
type embeddingsRequest struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

type embeddingsAnswer struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float64 `json:"embedding"`
	} `json:"data"`
}

// ask returns the vectors of texts, unchecked but for their number and order. It
// tries again for as long as the endpoint is only busy.
func (e *Endpoint) ask(ctx context.Context, texts []string) ([][]float64, error) {
	body, err := json.Marshal(embeddingsRequest{e.config.Model, texts})
	if err != nil {
		return nil, e.errorf("the request cannot be written")
	}
	wait := e.config.Backoff
	for attempt := 1; ; attempt++ {
		answer, status, after, err := e.post(ctx, body, len(texts))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if status == http.StatusOK {
			return e.parse(answer, len(texts))
		}
		if status != http.StatusTooManyRequests && status < 500 || attempt == e.config.Attempts {
			return nil, e.errorf("it answered with status %d at attempt %d, must be 200", status, attempt)
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
func (e *Endpoint) post(ctx context.Context, body []byte, texts int) (answer []byte, status int, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, 0, e.errorf("the request cannot be made")
	}
	req.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, 0, 0, e.errorf("it did not answer: %w", safe(err))
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if resp.StatusCode != http.StatusOK {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if it is a date
		return nil, resp.StatusCode, time.Duration(max(0, min(seconds, 3600))) * time.Second, nil
	}
	limit := int64(maxAnswer)
	if e.dim > 0 { // a number has at most 24 characters; the rest is for white space and the names around
		limit = min(limit, 1<<16+int64(texts)*(1<<12+64*int64(e.dim)))
	}
	answer, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, 0, 0, e.errorf("its answer broke off: %w", safe(err))
	}
	if int64(len(answer)) > limit {
		return nil, 0, 0, e.errorf("its answer to %d texts has more than %d bytes, must have fewer", texts, limit)
	}
	return answer, http.StatusOK, 0, nil
}

// parse reads an answer to so many texts.
func (e *Endpoint) parse(answer []byte, texts int) ([][]float64, error) {
	var a embeddingsAnswer
	if json.Unmarshal(answer, &a) != nil { // what it says may quote the answer
		return nil, e.errorf(`its answer is not JSON like {"data":[{"index":0,"embedding":[1,2]}]} with finite numbers, must be`)
	}
	if len(a.Data) != texts {
		return nil, e.errorf("its answer holds %d vectors, must hold %d", len(a.Data), texts)
	}
	rows := make([][]float64, texts)
	for i, d := range a.Data {
		if d.Index == nil || *d.Index != i {
			return nil, e.errorf("vector %d of its answer has another index or none, must have %d", i+1, i)
		}
		rows[i] = d.Embedding
	}
	return rows, nil
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
