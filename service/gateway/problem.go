package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	remote "sotto/service/client"
	"sotto/service/httpserve"
	"sotto/service/ledger"
)

// problem is an error as a client sees it, in the form of OpenAI's.
type problem struct {
	status int
	retry  time.Duration // 0 for none

	Message string  `json:"message"`
	Type    string  `json:"type"`
	Code    string  `json:"code"`
	Param   *string `json:"param"`

	// Of a request over budget.
	Asked      *float64   `json:"asked,omitempty"` // ε
	Left       *float64   `json:"left,omitempty"`  // ε
	AskedDelta float64    `json:"asked_delta,omitempty"`
	LeftDelta  float64    `json:"left_delta,omitempty"`
	Renews     *time.Time `json:"renews,omitempty"`
}

func (p *problem) Error() string { return p.Message }

// Types of problems.
const (
	invalidRequest = "invalid_request_error"
	serverError    = "server_error"
	rateLimit      = "rate_limit_exceeded"
)

func invalid(param, format string, args ...any) *problem {
	p := &problem{status: http.StatusBadRequest, Type: invalidRequest, Code: "invalid_value", Message: fmt.Sprintf(format, args...)}
	if param != "" {
		p.Param = &param
	}
	return p
}

func tooLarge(param, message string) *problem {
	p := invalid(param, "%s", message)
	p.status, p.Code = http.StatusRequestEntityTooLarge, "too_large"
	return p
}

func slowDown(message string, wait time.Duration) *problem {
	return &problem{status: http.StatusTooManyRequests, retry: wait, Type: rateLimit, Code: rateLimit, Message: message + "; nothing was spent"}
}

func overloaded(message string) *problem {
	return &problem{status: http.StatusServiceUnavailable, retry: time.Second, Type: serverError, Code: "overloaded", Message: message + "; nothing was spent"}
}

// ErrServer is wrapped where a server is down or does not answer as it should.
var ErrServer = errors.New("gateway: the server does not answer")

// problemOf says to a client what an error means to it. What it does not know
// is a fault, of which the client learns nothing.
func problemOf(err error) *problem {
	var known *problem
	var input *InputError
	var over *ledger.OverBudget
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &input) && input.TooLarge:
		return tooLarge(input.Param, input.Param+" "+input.Reason)
	case errors.As(err, &input):
		return invalid(input.Param, "%s %s", input.Param, input.Reason)
	case errors.As(err, &over):
		return overBudget(over)
	case errors.Is(err, ledger.ErrCrowded):
		return overloaded("as many users as fit into memory have begun to spend in this window")
	case errors.Is(err, ledger.ErrConflict):
		return &problem{status: http.StatusConflict, Type: invalidRequest, Code: "idempotency_conflict", Message: "the idempotency key was used with another request; nothing was released"}
	case ledgerFailed(err):
		return &problem{status: http.StatusServiceUnavailable, retry: time.Second, Type: serverError, Code: "ledger_unavailable", Message: "the ledger cannot be written; nothing was released"}
	case errors.Is(err, ErrEncoder):
		return &problem{status: http.StatusBadGateway, Type: serverError, Code: "encoder_unavailable", Message: "the encoder gave no usable vector; nothing was paid or released"}
	case unbelievable(err) != nil:
		return &problem{status: http.StatusBadGateway, Type: serverError, Code: "server_invalid", Message: "the server's answer cannot be believed; what was paid for stays paid"}
	case errors.Is(err, ErrServer):
		return &problem{status: http.StatusBadGateway, Type: serverError, Code: "server_unavailable", Message: "the server does not answer; what was paid for stays paid"}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &problem{status: http.StatusServiceUnavailable, retry: time.Second, Type: serverError, Code: "timeout", Message: "the request took too long"}
	}
	return &problem{status: http.StatusInternalServerError, Type: serverError, Code: "internal_error", Message: "internal fault; nothing was released"}
}

// unbelievable returns the error of a server that answered, but not as it should;
// nil for any other. Its words are of the client and quote nothing.
func unbelievable(err error) *remote.Unavailable {
	var u *remote.Unavailable
	if errors.Is(err, ErrServer) && errors.As(err, &u) && u.Status == http.StatusOK {
		return u
	}
	return nil
}

// ledgerFailed reports an error of the ledger that is nobody's request's fault.
func ledgerFailed(err error) bool {
	known := []error{ledger.ErrUnavailable, ledger.ErrDamaged, ledger.ErrSecret, ledger.ErrUnit}
	return slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) })
}

func overBudget(over *ledger.OverBudget) *problem {
	asked, left := over.Asked.EpsilonValue(), over.Left.EpsilonValue()
	p := &problem{
		status: http.StatusForbidden, Type: "insufficient_budget", Code: "over_budget",
		Message: "the privacy budget does not allow this; nothing was spent or released",
		Asked:   &asked, Left: &left, AskedDelta: over.Asked.DeltaValue(), LeftDelta: over.Left.DeltaValue(),
	}
	if over.Lifetime {
		p.Message = "the limit on all windows together does not allow this, and does not renew; nothing was spent or released"
	}
	if !over.Renews.IsZero() {
		p.Renews = &over.Renews
	}
	return p
}

// write answers with the problem.
func (p *problem) write(w http.ResponseWriter) {
	if p.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((p.retry+time.Second-1)/time.Second)))
	}
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	_ = httpserve.WriteJSON(w, p.status, map[string]*problem{"error": p}) // strings and finite numbers are always JSON
}

// logged is what a log says of an error: its words where they are known to
// quote nothing, and its kind otherwise.
func logged(err error, p *problem) string {
	if ledgerFailed(err) || errors.Is(err, ledger.ErrCrowded) || p.status == http.StatusInternalServerError {
		return err.Error()
	}
	if u := unbelievable(err); u != nil {
		return p.Code + ": " + u.Error()
	}
	return p.Code
}
