package gateway

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"sotto/service/gateway/keys"
	"sotto/service/httpserve"
)

// identify finds out who asks by the key, which must be for one of the scopes; for
// none, any key does. Without keys everybody may ask, but nobody may do what only
// an admin may: there would be no name for the log.
func (s *Service) identify(r *http.Request, who *client, needs []keys.Scope) error {
	if who.keys == nil {
		if slices.Equal(needs, []keys.Scope{keys.Admin}) {
			s.lacking.WithLabelValues(string(keys.Admin)).Inc()
			return &problem{status: http.StatusForbidden, Type: invalidRequest, Code: "missing_scope", Message: "this needs an API key with the scope admin, and the gateway has no keys: start it with --keys"}
		}
		return s.named(r)
	}
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	holder, err := who.keys.Find(strings.TrimSpace(key), time.Now())
	switch {
	case !strings.EqualFold(scheme, "Bearer"), errors.Is(err, keys.ErrUnknown):
		return &problem{status: http.StatusUnauthorized, Type: invalidRequest, Code: "invalid_api_key", Message: "an API key is needed: Authorization: Bearer KEY"}
	case err != nil:
		return &problem{status: http.StatusUnauthorized, Type: invalidRequest, Code: "expired_api_key", Message: strings.TrimPrefix(err.Error(), "keys: ") + ": ask for another"}
	}
	httpserve.Known(r)
	who.Holder = holder
	if len(needs) > 0 && !slices.ContainsFunc(needs, holder.May) {
		s.lacking.WithLabelValues(string(needs[0])).Inc()
		return &problem{status: http.StatusForbidden, Type: invalidRequest, Code: "missing_scope", Message: "this key may not do that: it needs the scope " + string(needs[0])}
	}
	return nil
}

// may reports whether the client may do something that its request also asks for.
func (c *client) may(s keys.Scope) bool { return c.keys == nil || c.May(s) }

// subject joins the key's subject and the user that a request names. A key's
// subject has no slash, so that no two pairs run into each other.
func (c *client) subject(user string) (string, error) {
	switch {
	case user != "" && c.Single:
		return "", invalid("user", "user must be absent: this key stands for one subject")
	case user == "" && c.Subject == "":
		return "anonymous", nil
	case user == "":
		return c.Subject, nil
	case c.Subject == "":
		return user, nil
	}
	return c.Subject + "/" + user, nil
}
