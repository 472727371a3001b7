package gateway

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"sotto/service/httpserve"
	"sotto/service/ledger"
	"sotto/service/strictjson"
)

// grantFields are what a grant may say.
var grantFields = []string{"subject", "epsilon", "delta", "reason"}

// grant handles "POST /v1/admin/grant": the ledger is the gateway's while it runs,
// and so a grant is given here. Who gives it is the key's subject.
func (s *Service) grant(w http.ResponseWriter, r *http.Request, who *client) error {
	if _, err := query(r); err != nil {
		return err
	}
	body, err := s.readBody(w, r, who, min(s.MaxBody, 1<<14), nil)
	if err != nil {
		return err
	}
	g := ledger.Grant{Who: who.Subject}
	if err = readFields(body, grantFields, func(r *strictjson.Reader, name string) error { return setGrant(&g, r, name) }); err != nil {
		return refusalOf(err)
	}
	if err = checkSubject(g.Subject); err != nil {
		return invalid("subject", "subject is missing, empty or not one that the ledger takes: it must be SUBJECT or SUBJECT/USER")
	}
	if err = g.Validate(); err != nil {
		return invalid("", "%s", err)
	}
	if err = s.place(r, who); err != nil {
		return err
	}
	if err = who.gateway.Ledger.Grant(r.Context(), g); err != nil {
		return err
	}
	// Not to whom: a log holds no users.
	httpserve.Note(r, slog.Float64("granted", g.Epsilon))
	b, err := who.gateway.Balance(r.Context(), g.Subject)
	if err != nil {
		return err
	}
	answer := struct {
		Object  string     `json:"object"`
		Subject string     `json:"subject"`
		Who     string     `json:"who"`
		Reason  string     `json:"reason"`
		Granted float64    `json:"granted"` // in this window, with earlier grants
		Left    float64    `json:"left"`
		Renews  *time.Time `json:"renews"` // when the grant ends; null if never
	}{"grant", g.Subject, g.Who, g.Reason, b.Granted.EpsilonValue(), b.Left.EpsilonValue(), nil}
	if !b.Renews.IsZero() {
		answer.Renews = &b.Renews
	}
	return httpserve.WriteJSON(w, http.StatusOK, answer)
}

// setGrant reads the value of a field.
func setGrant(g *ledger.Grant, r *strictjson.Reader, name string) (err error) {
	switch name {
	case "epsilon":
		return setNumber(&g.Epsilon, r, name)
	case "delta":
		return setNumber(&g.Delta, r, name)
	case "subject":
		g.Subject, err = r.String()
	case "reason":
		g.Reason, err = r.String()
	}
	if errors.Is(err, strictjson.ErrKind) {
		return invalid(name, "%s must be a string", name)
	}
	return err
}

// setNumber reads a number that must be finite.
func setNumber(to *float64, r *strictjson.Reader, name string) error {
	text, err := r.Number()
	if errors.Is(err, strictjson.ErrKind) {
		return invalid(name, "%s must be a number", name)
	} else if err != nil {
		return err
	}
	if *to, err = strconv.ParseFloat(string(text), 64); err != nil {
		return invalid(name, "%s must be a finite number", name)
	}
	return nil
}
