package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// OverBudget is the error of a request that the budget does not allow. Nothing
// was spent or released, and only time or a grant mends it.
type OverBudget struct {
	Asked  float64   // ε
	Left   float64   // ε
	Renews time.Time // when the budget does; zero if never
}

// Error implements error.
func (e *OverBudget) Error() string {
	text := fmt.Sprintf("client: over budget: ε %v asked and %v left", e.Asked, e.Left)
	if e.Renews.IsZero() {
		return text + ", which never renews"
	}
	return text + ", renews at " + e.Renews.UTC().Format(time.RFC3339)
}

// RateLimited is the error of requests that come too quickly, also after
// retries. It says nothing of the budget.
type RateLimited struct {
	After time.Duration // how long to wait; 0 if that was not said
}

// Error implements error.
func (e *RateLimited) Error() string {
	return fmt.Sprintf("client: too many requests; try again after %v", e.After)
}

// Unavailable is the error of a request that was not answered, or with a fault
// of the other side, also after retries. What was paid for stays paid, and the
// same request with the same idempotency key may be sent again.
type Unavailable struct {
	Status int // of HTTP; 0 if there was no answer, 200 for one that cannot be believed
	// Code is what the other side calls it, such as ledger_unavailable; or, of what
	// cannot be believed, malformed_answer, classes_changed or no_model.
	Code string
	Err  error // why there was no answer, or why it is not believed; nil if the other side said so
}

// Error implements error.
func (e *Unavailable) Error() string {
	switch {
	case e.Err == nil:
		return fmt.Sprintf("client: not available: status %d, %s", e.Status, e.Code)
	case e.Status == 0:
		return "client: no answer: " + e.Err.Error()
	}
	return fmt.Sprintf("client: not available: %s: %v", e.Code, e.Err)
}

// malformed is the error of an answer that is not what was asked for. The reason
// quotes nothing of it.
func malformed(reason string) error {
	return &Unavailable{Status: http.StatusOK, Code: "malformed_answer", Err: errors.New(reason)}
}

// wrong reports an answer that another attempt would not mend.
func wrong(err error) bool {
	var u *Unavailable
	return errors.As(err, &u) && u.Status == http.StatusOK
}

// Unwrap returns Err.
func (e *Unavailable) Unwrap() error { return e.Err }

// Refused is the error of a request that no retry mends.
type Refused struct {
	Status  int    // of HTTP
	Code    string // such as invalid_value, wrong_width or guarantee_mismatch
	Param   string // the field that is wrong, "" if that was not said
	Message string // of the other side; of a server that is not trusted, do not show it to your users
}

// Error implements error.
func (e *Refused) Error() string {
	return fmt.Sprintf("client: refused with status %d, %s: %s", e.Status, e.Code, e.Message)
}

// problem is an error as the gateway writes it, after OpenAI, or as the server
// does, after KServe: an object or a sentence.
type problem struct {
	Message string    `json:"message"`
	Code    string    `json:"code"`
	Param   string    `json:"param"`
	Asked   float64   `json:"asked"`
	Left    float64   `json:"left"`
	Renews  time.Time `json:"renews"`
}

// failure returns the error that an answer stands for.
func (a *answer) failure() error {
	var both struct {
		Error json.RawMessage `json:"error"`
		Code  string          `json:"code"`
	}
	p := problem{Code: "unknown", Message: "the answer does not say why"}
	if json.Unmarshal(a.body, &both) == nil {
		if json.Unmarshal(both.Error, &p.Message) == nil {
			p.Code = both.Code
		} else {
			_ = json.Unmarshal(both.Error, &p) // what is not there stays as it is
		}
	}
	switch {
	case a.status == http.StatusForbidden && p.Code == "over_budget":
		return &OverBudget{p.Asked, p.Left, p.Renews}
	case a.status == http.StatusTooManyRequests:
		return &RateLimited{a.retryAfter()}
	case a.status >= http.StatusInternalServerError && a.status != http.StatusNotImplemented:
		return &Unavailable{Status: a.status, Code: p.Code}
	}
	return &Refused{a.status, p.Code, p.Param, p.Message}
}
