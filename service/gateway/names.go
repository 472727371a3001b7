package gateway

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/service/gateway/keys"
	"sotto/service/httpserve"
)

// checkNames refuses names that no client could call, or that stand there twice.
func (c ServiceConfig) checkNames() error {
	names := append([]string{c.Name}, c.Aliases...)
	for i, name := range names {
		if name == "" || len(name) > 128 || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
			return fmt.Errorf("gateway: a name of the model is %.80q, must be 1 to 128 bytes without spaces", name)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("gateway: the model is called %s twice, must be once", name)
		}
	}
	return nil
}

// called returns the name by which an answer calls the model: the one that was
// asked for, since clients compare the two.
func (s *Service) called(asked string) (string, error) {
	switch {
	case asked == "" || asked == s.Name:
		return s.Name, nil
	case slices.Contains(s.Aliases, asked):
		return asked, nil
	}
	p := invalid("model", "model must be %s, or absent", strings.Join(append([]string{s.Name}, s.Aliases...), " or "))
	p.status, p.Code = http.StatusNotFound, "model_not_found"
	return "", p
}

type modelEntry struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Owner   string `json:"owned_by"`
	// Numbers are those that a request must give with each text, if any.
	Numbers []string `json:"numbers,omitempty"`
	// Release says what a vector is.
	Release modelRelease `json:"release"`
}

// modelRelease says by what vectors are released, and how long they may be asked for.
type modelRelease struct {
	Mechanism  string  `json:"mechanism"`
	Variant    string  `json:"variant"`
	Epsilon    float64 `json:"epsilon"`
	Dimensions []int   `json:"dimensions"`
}

// entry describes the model under one of its names.
func (g *Gateway) entry(name string) modelEntry {
	r := modelRelease{g.parameters.Mechanism, g.parameters.Variant, float64(g.guarantee.Epsilon), []int{g.Width()}}
	if g.indexable() != "" {
		r.Dimensions = append(r.Dimensions, 1)
	}
	return modelEntry{name, "model", 0, "sotto", g.Numbers(), r}
}

// models handles "GET /v1/models".
func (s *Service) models(w http.ResponseWriter, r *http.Request, who *client) error {
	if _, err := query(r); err != nil {
		return err
	}
	if err := s.place(r, who); err != nil {
		return err
	}
	data := []modelEntry{who.gateway.entry(s.Name)}
	for _, name := range s.Aliases {
		data = append(data, who.gateway.entry(name))
	}
	return httpserve.WriteJSON(w, http.StatusOK, list[modelEntry]{Object: "list", Data: data})
}

// model handles "GET /v1/models/{model}".
func (s *Service) model(w http.ResponseWriter, r *http.Request, who *client) error {
	if _, err := query(r); err != nil {
		return err
	}
	if err := s.place(r, who); err != nil {
		return err
	}
	name, err := s.called(r.PathValue("model"))
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, who.gateway.entry(name))
}

// query reads the parameters of an address: each of those that are known at most
// once, not empty, and no other. What cannot be read is refused, never left out.
func query(r *http.Request, known ...string) (url.Values, error) {
	may := "no parameter"
	if len(known) > 0 {
		may = strings.Join(known, " or ") + ", once, and no other parameter"
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("", "the address has a query that cannot be read, may have %s", may)
	}
	for name, v := range values {
		switch {
		case !slices.Contains(known, name):
			// The name is the client's and may be anything, so it is not repeated.
			return nil, invalid("", "the address has a parameter that is not known, may have %s", may)
		case len(v) != 1:
			return nil, invalid(name, "%s is given twice, must be given once", name)
		case v[0] == "":
			return nil, invalid(name, "%s is empty, must name somebody or be left out", name)
		}
	}
	return values, nil
}

// whose returns the subject whose budget a request is about: one of the key's own,
// or, for an admin, any, as the ledger names it.
func whose(r *http.Request, who *client) (string, error) {
	values, err := query(r, "user", "subject")
	if err != nil {
		return "", err
	}
	named, own := values.Get("subject"), values.Get("user")
	switch {
	case named == "" && !who.may(keys.Budget):
		return "", invalid("subject", "subject is missing: a key with the scope admin, and without budget, must say whose budget")
	case named == "":
		return who.subject(own)
	case own != "":
		return "", invalid("subject", "subject and user are given, must be one of them")
	case who.keys == nil || !who.May(keys.Admin):
		p := invalid("subject", "only a key with the scope admin may ask for any subject; user asks for one of your own")
		p.status, p.Code = http.StatusForbidden, "missing_scope"
		return "", p
	}
	return named, nil
}
