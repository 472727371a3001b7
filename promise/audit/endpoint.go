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
	address, err := parseAddress("url", address)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (Sampler, error) {
		return &endpointSampler{address, &http.Client{Timeout: answerTime, Transport: &http.Transport{}}}, nil
	}, nil
}

// parseAddress refuses what is no address of the web.
func parseAddress(what, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("audit: %s is %q, must be an http or https address", what, address)
	}
	return u.String(), nil
}

// post sends JSON and returns the status and the body of the answer.
func post(ctx context.Context, c *http.Client, whose, address, key string, question any) (status int, answer []byte, err error) {
	body, err := json.Marshal(question)
	if err != nil {
		return 0, nil, fmt.Errorf("audit: a request could not be written: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, fmt.Errorf("audit: a request could not be made: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("audit: the %s did not answer: %w", whose, err)
	}
	defer resp.Body.Close() //nolint:errcheck // the body has been read
	if answer, err = io.ReadAll(io.LimitReader(resp.Body, 64<<20)); err != nil {
		return 0, nil, fmt.Errorf("audit: the %s's answer broke off: %w", whose, err)
	}
	return resp.StatusCode, answer, nil
}

type endpointSampler struct {
	address string
	client  *http.Client
}

func (s *endpointSampler) Sample(ctx context.Context, x []float64) (Release, error) {
	status, text, err := post(ctx, s.client, "endpoint", s.address, "", request{x})
	if err != nil {
		return Release{}, err
	}
	switch status {
	case http.StatusOK:
		return parseAnswer(text)
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return Release{Refused: true}, nil
	}
	return Release{}, fmt.Errorf("audit: the endpoint answered with status %d, must be 200, or 400 or 422 for a refusal", status)
}

func (s *endpointSampler) Close() error {
	s.client.CloseIdleConnections()
	return nil
}
