package gateway_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"sotto/service/gateway"
	"sotto/service/gateway/keys"
	"sotto/service/ledger"
	"sotto/text/encode"
)

// roles makes a service with a key for each scope, one that has expired and one
// that was revoked, all by name.
func roles(t *testing.T, c gateway.Config, sc gateway.ServiceConfig) (*site, map[string]string) {
	t.Helper()
	all := map[string]string{}
	var file strings.Builder
	add := func(name string, o keys.Order, change func(*keys.Entry)) {
		t.Helper()
		key, entry, err := keys.New(o)
		if err != nil {
			t.Fatal(err)
		}
		change(&entry)
		line, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(append(line, '\n'))
		all[name] = key
	}
	for _, s := range keys.Scopes() {
		add(string(s), keys.Order{Subject: "team-" + string(s), Scopes: []keys.Scope{s}}, func(*keys.Entry) {})
	}
	add("old", keys.Order{Subject: "old"}, func(e *keys.Entry) { e.Scopes = nil })
	add("expired", keys.Order{Subject: "late", Scopes: keys.Scopes(), Expires: time.Now().Add(-time.Second)}, func(*keys.Entry) {})
	add("revoked", keys.Order{Subject: "gone", Scopes: keys.Scopes()}, func(e *keys.Entry) { e.Revoked = time.Now() })
	var err error
	if sc.Keys, err = keys.Parse(strings.NewReader(file.String())); err != nil {
		t.Fatal(err)
	}
	return serve(t, c, sc), all
}

// TestScopes asks for everything with every key.
func TestScopes(t *testing.T) {
	s, all := roles(t, config(t), gateway.ServiceConfig{Classifier: labels{}, Page: &gateway.Page{}})
	const body = `{"input": "a"}`
	const grant = `{"subject": "team-embed", "epsilon": 1, "reason": "asked"}`
	for _, tt := range []struct {
		method, path, body string
		allowed            []string
		scope              string
	}{
		{"POST", "/v1/embeddings", body, []string{"embed", "old"}, "embed"},
		{"POST", "/v1/classify", body, []string{"classify", "old"}, "classify"},
		{"GET", "/v1/budget", "", []string{"budget", "old"}, "budget"},
		{"GET", "/v1/budget?subject=team-embed", "", []string{"admin"}, "budget"},
		{"GET", "/metrics", "", []string{"metrics"}, "metrics"},
		{"GET", "/v1/models", "", []string{"embed", "classify", "budget", "metrics", "admin", "old"}, ""},
		{"POST", "/v1/admin/grant", grant, []string{"admin"}, "admin"},
		{"POST", "/page/try", body, []string{"embed", "old"}, "embed"},
	} {
		for name, key := range all {
			status, content, _ := s.ask(t, tt.method, tt.path, tt.body, "Authorization", "Bearer "+key, "Sec-Fetch-Site", "same-origin")
			allowed := strings.Contains(" "+strings.Join(tt.allowed, " ")+" ", " "+name+" ")
			switch {
			case name == "expired":
				if e := parse(t, content).Error; status != http.StatusUnauthorized || e.Code != "expired_api_key" || !strings.Contains(e.Message, "expired at 20") {
					t.Errorf("%s with an expired key: %d %s", tt.path, status, content)
				}
			case name == "revoked":
				if status != http.StatusUnauthorized || parse(t, content).Error.Code != "invalid_api_key" {
					t.Errorf("%s with a revoked key: %d %s", tt.path, status, content)
				}
			case allowed:
				if status != http.StatusOK {
					t.Errorf("%s with the key %s: %d %s, want 200", tt.path, name, status, content)
				}
			case strings.Contains(tt.path, "subject=") && (name == "budget" || name == "old"):
				if status != http.StatusForbidden || parse(t, content).Error.Code != "missing_scope" || !strings.Contains(content, "scope admin") {
					t.Errorf("%s with the key %s: %d %s, want 403 and the scope admin", tt.path, name, status, content)
				}
			case name == "admin" && tt.path == "/v1/budget": // must say whose
				if status != http.StatusBadRequest {
					t.Errorf("%s with the key admin: %d %s, want 400", tt.path, status, content)
				}
			default:
				if e := parse(t, content).Error; status != http.StatusForbidden || e.Code != "missing_scope" || !strings.HasSuffix(e.Message, "needs the scope "+tt.scope) {
					t.Errorf("%s with the key %s: %d %s, want 403 and the scope %s", tt.path, name, status, content, tt.scope)
				}
			}
		}
	}
	// A wrong key with the id of the expired one learns nothing of that.
	wrong := all["expired"][:len(all["expired"])-4] + "AAAA"
	if status, content, _ := s.ask(t, "GET", "/v1/models", "", "Authorization", "Bearer "+wrong); status != http.StatusUnauthorized || strings.Contains(content, "expired") {
		t.Errorf("a wrong key: %d %s", status, content)
	}
	_, numbers, _ := s.ask(t, "GET", "/metrics", "", "Authorization", "Bearer "+all["metrics"])
	for _, want := range []string{`sotto_gateway_scope_refused_total{scope="metrics"} 5`, `sotto_gateway_keys{state="active"} 6`, `sotto_gateway_keys{state="expired"} 1`, `sotto_gateway_keys{state="revoked"} 1`} {
		if !strings.Contains(numbers, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if strings.Contains(numbers, "team-") || strings.Contains(s.log.String(), all["embed"]) {
		t.Error("metrics hold a subject, or the log a key")
	}
}

// TestAdminGrant lets a user spend more while the gateway runs.
func TestAdminGrant(t *testing.T) {
	c := config(t)
	s, all := roles(t, c, gateway.ServiceConfig{})
	s.key = all["admin"]
	for name, body := range map[string]string{
		"no reason": `{"subject": "a", "epsilon": 1}`, "no subject": `{"epsilon": 1, "reason": "r"}`, "nothing": `{"subject": "a", "reason": "r"}`,
		"negative": `{"subject": "a", "epsilon": -1, "reason": "r"}`, "too large": `{"subject": "a", "epsilon": 1e400, "reason": "r"}`, "other who": `{"subject": "a", "epsilon": 1, "reason": "r", "who": "root"}`,
		"text": `{"subject": "a", "epsilon": "1", "reason": "r"}`, "twice": `{"subject": "a", "epsilon": 1, "epsilon": 2, "reason": "r"}`, "control": `{"subject": "a\u0000", "epsilon": 1, "reason": "r"}`,
	} {
		if status, content, _ := s.ask(t, "POST", "/v1/admin/grant", body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s, want 400", name, status, content)
		}
	}
	before, err := s.gateway.Balance(t.Context(), "shop/alice")
	if err != nil {
		t.Fatal(err)
	}
	status, content, _ := s.ask(t, "POST", "/v1/admin/grant", `{"subject": "shop/alice", "epsilon": 3, "reason": "ticket 12"}`)
	if status != http.StatusOK || !strings.Contains(content, `"who":"team-admin"`) {
		t.Fatalf("%d %s", status, content)
	}
	if after, failed := s.gateway.Balance(t.Context(), "shop/alice"); failed != nil || after.Left.EpsilonValue() != before.Left.EpsilonValue()+3 {
		t.Errorf("left is %v after %v (%v), want 3 more", after.Left, before.Left, failed)
	}
	var found *ledger.Entry
	if err = c.Ledger.(*ledger.Ledger).Entries(t.Context(), 1, func(e *ledger.Entry) error {
		if e.Kind == ledger.KindGrant {
			found = e
		}
		return nil
	}); err != nil || found == nil || found.Who != "team-admin" || found.Reason != "ticket 12" || found.Subject != "shop/alice" {
		t.Errorf("the log has %+v (%v)", found, err)
	}
	if strings.Contains(s.log.String(), "alice") || strings.Contains(s.log.String(), "ticket") {
		t.Error("the log of requests holds a user or a reason")
	}
	// Without keys nobody is an admin.
	open := serve(t, config(t), gateway.ServiceConfig{})
	if status, content, _ := open.ask(t, "POST", "/v1/admin/grant", `{"subject": "a", "epsilon": 1, "reason": "r"}`); status != http.StatusForbidden || parse(t, content).Error.Code != "missing_scope" {
		t.Errorf("a grant without keys: %d %s, want 403", status, content)
	}
}

// TestQueries: a query that is wrong is refused, and never left out.
func TestQueries(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{})
	for _, path := range []string{
		"/v1/budget?user=a&user=b", "/v1/budget?user=", "/v1/budget?usr=a", "/v1/budget?user=%zz", "/v1/budget?user=a;b=c", "/v1/budget?user=a&", "/v1/budget?user=%ff",
		"/v1/budget?user=a%00", "/v1/models?limit=1", "/v1/models/sotto?x=1", "/v1/embeddings?api-version=1",
	} {
		method, body := "GET", ""
		if strings.Contains(path, "embeddings") {
			method, body = "POST", `{"input": "a"}`
		}
		want := http.StatusBadRequest
		if strings.HasSuffix(path, "&") { // which names nothing
			want = http.StatusOK
		}
		if status, content, _ := s.ask(t, method, path, body); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, content, want)
		}
	}
}

// TestAliases asks by other names.
func TestAliases(t *testing.T) {
	const alias = "text-embedding-3-small"
	s := serve(t, config(t), gateway.ServiceConfig{Aliases: []string{alias, "ada"}, Classifier: labels{}})
	for asked, want := range map[string]string{"": "sotto", "sotto": "sotto", alias: alias, "ada": "ada"} {
		body, err := json.Marshal(map[string]string{"input": "a", "model": asked})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/v1/embeddings", "/v1/classify"} {
			if status, content, _ := s.ask(t, "POST", path, string(body)); status != http.StatusOK || parse(t, content).Model != want {
				t.Errorf("%s of model %q: %d %s, want model %q", path, asked, status, content, want)
			}
		}
	}
	if status, content, _ := s.ask(t, "POST", "/v1/embeddings", `{"input": "a", "model": "text-embedding-3-large"}`); status != http.StatusNotFound || !strings.Contains(content, "sotto or "+alias) {
		t.Errorf("another model: %d %s", status, content)
	}
	if _, content, _ := s.ask(t, "GET", "/v1/models", ""); strings.Count(content, `"id":`) != 3 || !strings.Contains(content, `"id":"`+alias+`"`) {
		t.Errorf("models are %s", content)
	}
	if status, content, _ := s.ask(t, "GET", "/v1/models/"+alias, ""); status != http.StatusOK || !strings.Contains(content, `"id":"`+alias+`"`) {
		t.Errorf("one model: %d %s", status, content)
	}
	if status, _, _ := s.ask(t, "GET", "/v1/models/other", ""); status != http.StatusNotFound {
		t.Errorf("a model that is not there: %d, want 404", status)
	}
	for _, bad := range [][]string{{""}, {"sotto"}, {"a", "a"}, {"a b"}, {"a\x00"}} {
		if err := (gateway.ServiceConfig{Gateway: s.gateway, Aliases: bad}).Validate(); err == nil {
			t.Errorf("aliases %q were taken", bad)
		}
	}
}

// TestReplace changes the mechanism under requests: those under way end with the
// old one, and new ones are paid for by the new.
func TestReplace(t *testing.T) {
	c := config(t)
	slow := &slowEncoder{Encoder: c.Encoder.(encode.Encoder), entered: make(chan struct{}), leave: make(chan struct{})}
	old := c
	old.Encoder = slow
	s := serve(t, old, gateway.ServiceConfig{})
	first := make(chan string, 1)
	go func() {
		_, content, _ := s.ask(t, "POST", "/v1/embeddings", `{"input": "a", "user": "alice"}`)
		first <- content
	}()
	<-slow.entered
	next := c
	next.Noise = gateway.Fresh
	idle, err := s.service.Replace(gateway.Replacement{Gateway: newGateway(t, next)})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.embed(t, `{"input": "a", "user": "alice"}`).Privacy.Noise; got != gateway.Fresh {
		t.Errorf("after Replace the noise is %s, want fresh", got)
	}
	select {
	case <-idle:
		t.Error("the old gateway is idle while it has a request")
	default:
	}
	close(slow.leave)
	if got := parse(t, <-first).Privacy.Noise; got != gateway.Memoised {
		t.Errorf("the request under way was answered with %q noise, want memoised", got)
	}
	<-idle
	key, set := newKeys(t, keys.Order{Subject: "shop"})
	if idle, err = s.service.Replace(gateway.Replacement{Keys: set}); err != nil {
		t.Fatal(err)
	}
	<-idle
	if status, _, _ := s.ask(t, "POST", "/v1/embeddings", `{"input": "a"}`); status != http.StatusUnauthorized {
		t.Errorf("without a key that is asked for now: %d, want 401", status)
	}
	s.key = key
	if got := s.embed(t, `{"input": "a"}`).Privacy.Noise; got != gateway.Fresh {
		t.Errorf("new keys changed the gateway: %s", got)
	}
}

// slowEncoder says that it was asked, and waits.
type slowEncoder struct {
	encode.Encoder
	entered, leave chan struct{}
}

func (e *slowEncoder) Encode(dst []float32, text string) {
	close(e.entered)
	<-e.leave
	e.Encoder.Encode(dst, text)
}
