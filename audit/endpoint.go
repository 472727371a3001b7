package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Endpoint returns samplers that post {"x":[…]} to an address and read
// {"y":[…]}. Status 400 and 422 are refusals.
func Endpoint(address string) (func(ctx context.Context) (Sampler, error), error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("audit: url is %q, must be an http or https address", address)
	}
	return func(context.Context) (Sampler, error) {
		return &endpointSampler{address: u.String(), client: &http.Client{Timeout: answerTime, Transport: &http.Transport{}}}, nil
	}, nil
}

type endpointSampler struct {
	address string
	client  *http.Client
}

func (s *endpointSampler) Sample(ctx context.Context, x []float64) (Release, error) {
	body, err := json.Marshal(request{x})
	if err != nil {
		return Release{}, fmt.Errorf("audit: a request could not be written: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return Release{}, fmt.Errorf("audit: a request could not be made: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return Release{}, fmt.Errorf("audit: the endpoint did not answer: %w", err)
	}
	defer resp.Body.Close() //nolint:errcheck // the body has been read
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return Release{}, fmt.Errorf("audit: the endpoint's answer broke off: %w", err)
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return parseAnswer(text)
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return Release{Refused: true}, nil
	}
	return Release{}, fmt.Errorf("audit: the endpoint answered with status %d, must be 200, or 400 or 422 for a refusal", resp.StatusCode)
}

func (s *endpointSampler) Close() error {
	s.client.CloseIdleConnections()
	return nil
}
