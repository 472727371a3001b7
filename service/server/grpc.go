package server

import (
	"context"
	"errors"
	"net/http"

	"sotto/service/httpserve"
)

// The services whose calls are answered: the protocol's, and that by which
// orchestrators ask for the health of any.
const (
	inferenceService = "/inference.GRPCInferenceService/"
	healthService    = "/grpc.health.v1.Health/"
)

// maxQuestion bounds a message that asks for something else than an answer, in
// bytes.
const maxQuestion = 1 << 12

// question answers the message of a call with another.
type question func(message []byte) ([]byte, error)

// Calls returns the handler of all calls of gRPC. They are requests of HTTP/2 like
// others, and stand under the same limits.
func (s *Server) Calls() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(inferenceService+"ModelInfer", s.call(inferenceService+"ModelInfer", s.modelInfer))
	for route, f := range map[string]question{
		inferenceService + "ServerLive":     func([]byte) ([]byte, error) { return appendFlag(nil, true), nil },
		inferenceService + "ServerReady":    func([]byte) ([]byte, error) { return appendFlag(nil, s.unready(true) == nil), nil },
		inferenceService + "ServerMetadata": func([]byte) ([]byte, error) { return appendServer(nil, platform, protocol, extensions), nil },
		inferenceService + "ModelReady":     s.modelReadiness,
		inferenceService + "ModelMetadata":  s.modelMetadata,
		healthService + "Check":             s.health,
	} {
		mux.Handle(route, s.call(route, func(w http.ResponseWriter, r *http.Request) ([]byte, error) {
			load := s.intake.Open()
			defer load.Close()
			message, err := s.message(w, r, &load, maxQuestion)
			if err != nil {
				return nil, err
			}
			return f(message)
		}))
	}
	mux.Handle("/", s.call("no such call", func(http.ResponseWriter, *http.Request) ([]byte, error) { return nil, errCall }))
	return mux
}

// call makes a handler of what answers a call with a message.
func (s *Server) call(route string, f func(w http.ResponseWriter, r *http.Request) ([]byte, error)) http.Handler {
	h := s.http.Handle(route, func(w http.ResponseWriter, r *http.Request) error {
		if err := httpserve.CheckGRPC(r); err != nil {
			return notCalled(err)
		}
		if most := httpserve.GRPCTimeout(r); most > 0 {
			ctx, cancel := context.WithTimeout(r.Context(), most)
			defer cancel()
			r = r.WithContext(ctx)
		}
		answer, err := f(w, r)
		if err == nil {
			httpserve.WriteGRPC(w, answer)
		} else if errors.Is(r.Context().Err(), context.DeadlineExceeded) {
			err = errDeadline
		}
		return err
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(httpserve.GRPCWriter{ResponseWriter: w}, r) })
}

// message reads the message of a call, of at most so many bytes.
func (s *Server) message(w http.ResponseWriter, r *http.Request, load *httpserve.Load, most int64) ([]byte, error) {
	body, err := s.readBody(w, r, load, most+httpserve.GRPCPrefix)
	if err != nil {
		return nil, err
	}
	message, err := httpserve.GRPCMessage(body)
	if err != nil {
		return nil, notCalled(err)
	}
	return message, nil
}

// notCalled refuses what is no call, or one of which the message cannot be read.
func notCalled(err error) *refusal {
	status := http.StatusBadRequest
	switch {
	case errors.Is(err, httpserve.ErrNoCall):
		status = http.StatusUnsupportedMediaType
	case errors.Is(err, httpserve.ErrPacked):
		status = http.StatusNotImplemented
	}
	return &refusal{err.Error(), "invalid_request", status}
}

// modelInfer answers ModelInfer, as infer does over HTTP. Of which model the
// request is stands within its message.
func (s *Server) modelInfer(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	load := s.intake.Open()
	defer load.Close()
	message, err := s.message(w, r, &load, s.config.MaxBody)
	if err != nil {
		return nil, err
	}
	c, err := ParseInfer(message)
	if err != nil {
		return nil, bad("invalid_request", err.Error())
	}
	m, err := s.named(c.ModelName, c.ModelVersion)
	if err != nil {
		return nil, err
	}
	var answer []byte
	return answer, s.counted(m, func() error {
		res, err := s.answer(r.Context(), httpserve.Network(r), m, &load, &c.Request)
		if err == nil {
			answer = AppendInfer(nil, res, c.Raw)
		}
		return err
	})
}

func (s *Server) modelReadiness(message []byte) ([]byte, error) {
	m, err := s.asked(message)
	if err != nil {
		return nil, err
	}
	return appendFlag(nil, m.served != nil && !s.http.Draining()), nil
}

func (s *Server) modelMetadata(message []byte) ([]byte, error) {
	m, err := s.asked(message)
	if err != nil {
		return nil, err
	}
	inputs, outputs := m.tensors()
	return appendModel(nil, m.name, []string{m.version}, platform, inputs, outputs), nil
}

// asked returns the model that a message names.
func (s *Server) asked(message []byte) (slot, error) {
	name, version, err := parseNamed(message)
	if err != nil {
		return slot{}, bad("invalid_request", err.Error())
	}
	return s.named(name, version)
}

// health answers Check of the protocol of health, for the whole server and for
// the service.
func (s *Server) health(message []byte) ([]byte, error) {
	const serving, notServing = 1, 2
	service, _, err := parseNamed(message)
	switch {
	case err != nil:
		return nil, bad("invalid_request", err.Error())
	case service != "" && "/"+service+"/" != inferenceService:
		return nil, &refusal{"there is no such service here", "not_found", http.StatusNotFound}
	case s.unready(true) != nil:
		return appendStatus(nil, notServing), nil
	}
	return appendStatus(nil, serving), nil
}

var (
	errCall     = &refusal{"there is no such call here", "not_found", http.StatusNotImplemented}
	errDeadline = &refusal{"the time that the caller gave is over", "cancelled", http.StatusGatewayTimeout}
)

// statusOf returns the status of gRPC that fits a refusal.
func statusOf(r *refusal) httpserve.GRPCCode {
	switch r.status {
	case http.StatusBadRequest:
		return httpserve.InvalidArgument
	case http.StatusNotFound:
		return httpserve.NotFound
	case http.StatusRequestTimeout:
		return httpserve.Cancelled
	case http.StatusGatewayTimeout:
		return httpserve.DeadlineExceeded
	case http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return httpserve.ResourceExhausted
	case http.StatusNotImplemented:
		return httpserve.Unimplemented
	case http.StatusServiceUnavailable:
		return httpserve.Unavailable
	}
	return httpserve.Internal
}
