package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/service/gateway"
	"sotto/service/gateway/keys"
)

// newKeys makes a key and the keys that know it and another one.
func newKeys(t *testing.T, o keys.Order) (string, *keys.Set) {
	t.Helper()
	var file strings.Builder
	var first string
	for _, o := range []keys.Order{o, {Subject: "other"}} {
		key, entry, err := keys.New(o)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&file, "%s\n\n", line)
		if strings.Contains(file.String(), key[20:]) {
			t.Error("the entry holds the key")
		}
		if first == "" {
			first = key
		}
	}
	set, err := keys.Parse(strings.NewReader(file.String()))
	if err != nil || set.Len() != 2 {
		t.Fatalf("Parse: %v", err)
	}
	return first, set
}

func TestKeys(t *testing.T) {
	key, set := newKeys(t, keys.Order{Subject: "team"})
	s := serve(t, config(t), gateway.ServiceConfig{Keys: set})
	const body = `{"input": "a", "user": "alice"}`
	flipped := key[:len(key)-1] + map[bool]string{true: "B", false: "A"}[key[len(key)-1] == 'A']
	for name, header := range map[string]string{
		"none": "", "wrong": "Bearer " + flipped, "cut": "Bearer " + key[:len(key)-1], "unknown id": "Bearer sotto_000000000000_AAAA",
		"other scheme": "Basic " + key, "no scheme": key, "empty": "Bearer ",
	} {
		status, content, h := s.ask(t, "POST", "/v1/embeddings", body, "Authorization", header)
		if status != http.StatusUnauthorized || parse(t, content).Error.Code != "invalid_api_key" || h.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %d %s, want 401", name, status, content)
		}
	}
	for _, path := range []string{"/v1/budget", "/v1/models", "/metrics"} {
		if status, _, _ := s.ask(t, "GET", path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s without a key: %d, want 401", path, status)
		}
	}
	if status, _, _ := s.ask(t, "GET", "/readyz", ""); status != http.StatusOK {
		t.Errorf("readyz without a key: %d, want 200", status)
	}
	s.key = key
	s.embed(t, body)
	if b, err := s.gateway.Balance(t.Context(), "team/alice"); err != nil || b.Spent.Epsilon == 0 {
		t.Errorf("team/alice spent %v (%v), want something", b.Spent, err)
	}
}

func TestSingleKey(t *testing.T) {
	key, set := newKeys(t, keys.Order{Subject: "alice", Single: true})
	s := serve(t, config(t), gateway.ServiceConfig{Keys: set})
	s.key = key
	s.embed(t, `{"input": "a"}`)
	if status, body, _ := s.ask(t, "POST", "/v1/embeddings", `{"input": "a", "user": "made up"}`); status != http.StatusBadRequest {
		t.Errorf("a user with a key of one subject: %d %s, want 400", status, body)
	}
}

func TestLoadSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if _, _, err := gateway.LoadSecret(path, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v, want ErrNotExist", err)
	}
	s, made, err := gateway.LoadSecret(path, true)
	if err != nil || !made {
		t.Fatalf("made %v, %v", made, err)
	}
	again, made, err := gateway.LoadSecret(path, true)
	if err != nil || made || again != s || len(s.ID()) != 8 {
		t.Errorf("read again: same %v, made %v, id %s, %v", again == s, made, s.ID(), err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 32 {
		t.Errorf("the file has mode %v and %d bytes, %v, want 0600 and 32", info.Mode(), info.Size(), err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		shown := fmt.Sprintf(verb, s)
		if strings.Contains(shown, fmt.Sprintf("%x", content[:4])) || strings.Contains(shown, fmt.Sprint(content[0], " ", content[1])) {
			t.Errorf("%s shows the secret", verb)
		}
	}
	for name, file := range map[string]struct {
		content []byte
		mode    os.FileMode
	}{
		"readable by others": {content, 0o644}, "by the group": {content, 0o640}, "short": {content[:31], 0o600},
		"long": {append(content, 0), 0o600}, "empty": {nil, 0o600}, "zeros": {make([]byte, 32), 0o600},
	} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := errors.Join(os.WriteFile(path, file.content, 0o600), os.Chmod(path, file.mode)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := gateway.LoadSecret(path, true); err == nil {
			t.Errorf("%s: LoadSecret accepted it", name)
		}
	}
}
