package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/serve"
	"sotto/command/term"
	"sotto/service/gateway"
	"sotto/service/gateway/keys"
	"sotto/service/httpserve/servetest"
	"sotto/service/ledger"
	"sotto/study/language/mask"
	"sotto/text"
)

// gatewayCommand runs "sotto gateway" with arguments to its end.
func gatewayCommand(ctx context.Context, out, errs io.Writer, args ...string) error {
	c := serve.NewGateway(term.Streams{In: strings.NewReader(""), Out: out, Err: errs})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	return c.ExecuteContext(text.WithTypes(ctx, mask.Maskers{}))
}

// startGateway starts a gateway on a free port and returns its address, and what
// ends it.
func startGateway(t *testing.T, args ...string) (base string, stop func() (logs string)) {
	t.Helper()
	var out, errs servetest.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- gatewayCommand(ctx, &out, &errs, append([]string{"--listen", "127.0.0.1:0", "--withdraw", "0s"}, args...)...)
	}()
	found := regexp.MustCompile(`gateway at (https?://[^;]+);`)
	for {
		if m := found.FindStringSubmatch(out.String()); m != nil {
			base = m[1]
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the gateway ended: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return base, func() string {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the gateway ended with %v, want nil", err)
		}
		return out.String() + errs.String()
	}
}

// gatewayAnswer is what tests look at of an answer.
type gatewayAnswer struct {
	Data []struct {
		Embedding json.RawMessage
		Class     string
		Labels    map[string]gateway.Answer
	}
	Privacy gateway.Privacy
	Error   struct{ Code string }
}

func postGateway(t *testing.T, address, key, body string) gatewayAnswer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var a gatewayAnswer
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestGatewayAlone starts the gateway without any setting but a free port, twice.
func TestGatewayAlone(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("HOME", home)
	const body = `{"input": "I feel unwell today", "user": "alice"}`
	var first string
	for round := range 2 {
		base, stop := startGateway(t)
		a := postGateway(t, base+"/v1/embeddings", "", body)
		// The ledger takes ε within a part in 2⁴⁰ of an integer for it.
		if len(a.Data) != 1 || a.Privacy.Mechanism != "cells" || a.Privacy.Epsilon > 8*(1+0x1p-40) || a.Privacy.Left != 72 || a.Privacy.Repeated != round {
			t.Fatalf("round %d: %d vectors, %+v, want one by cells, 72 left and to be repeated the second time", round, len(a.Data), a.Privacy)
		}
		if round == 0 {
			first = string(a.Data[0].Embedding)
		} else if string(a.Data[0].Embedding) != first {
			t.Error("after a restart the release is another")
		}
		said := stop()
		if !strings.Contains(said, "curl -s "+base) || strings.Contains(said, "alice/") || (round == 0) != strings.Contains(said, "a new secret lies in") || !strings.Contains(said, "drained") {
			t.Errorf("round %d said %s", round, said)
		}
	}
	for _, name := range []string{"gateway.ledger", "gateway.secret"} {
		var found string
		for _, place := range []string{"sotto", "Library/Application Support/sotto"} {
			if _, err := os.Stat(filepath.Join(home, place, name)); err == nil {
				found = filepath.Join(home, place, name)
			}
		}
		if info, err := os.Stat(found); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, want a file with mode 0600", name, err)
		}
	}
}

// places returns flags for a ledger and a secret of the test's own.
func gatewayPlaces(t *testing.T) []string {
	t.Helper()
	return []string{"--ledger", filepath.Join(t.TempDir(), "ledger"), "--secret", filepath.Join(t.TempDir(), "secret")}
}

// TestGatewaySettings gives the name of the model in each way.
func TestGatewaySettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(`{"name": "file", "budget": 24, "encoder": "hash:32"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		flag, env, want string
	}{{"flag", "env", "flag"}, {"", "env", "env"}, {"", "", "file"}} {
		args := append(gatewayPlaces(t), "--config", file)
		if tt.flag != "" {
			args = append(args, "--name", tt.flag)
		}
		if tt.env != "" {
			t.Setenv("SOTTO_GATEWAY_NAME", tt.env)
		} else if err := os.Unsetenv("SOTTO_GATEWAY_NAME"); err != nil {
			t.Fatal(err)
		}
		base, stop := startGateway(t, args...)
		if a := postGateway(t, base+"/v1/embeddings", "", fmt.Sprintf(`{"input": "a", "model": %q}`, tt.want)); a.Privacy.Left != 16 {
			t.Errorf("name %s: %+v, want the file's budget of 24 less 8", tt.want, a)
		}
		stop()
	}
}

// keyFile returns the path of a file that holds one key.
func keyFile(t *testing.T) string {
	t.Helper()
	_, entry, err := keys.New(keys.Order{Subject: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "keys")
	if err = os.WriteFile(path, line, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestGatewayRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keys := keyFile(t)
	for _, tt := range []struct{ args, env, want string }{
		{"--config " + write("bad.json", `{"nom": "x"}`), "", "no such setting"},
		{"", "SOTTO_GATEWAY_NOM", "no such setting"},
		{"--mechanism dpnr --variant released", "", "a text costs ε = infinite"},
		{"--mechanism gaussian --delta 1e-6", "", "must be enough for one"},
		{"--budget 4", "", "must be enough for one"},
		{"--mechanism krr --classes 2", "", "must be as many"},
		{"--noise none", "", "must be memoised or fresh"},
		{"--model nowhere --epsilon 4", "", "has no meaning with --model"},
		{"--production", "", "there is no --keys"},
		{"--production --keys " + keys + " --listen :0", "", "there is no --tls-cert"},
		{"--production --keys " + keys + " --head " + filepath.Join(t.TempDir(), "head"), "", "no such file"}, // no secret is made
		{"--keys " + write("empty", ""), "", "must hold at least one"},
		{"--tls-cert a", "", "certificate and key"},
		{"--server ftp://a", "", "must be http"},
		{"--listen nowhere", "", "must be HOST:PORT"},
		{"--log-level loud", "", "must be debug"},
		{"--max-texts 0", "", "must be positive"},
	} {
		t.Run(tt.args+tt.env, func(t *testing.T) {
			if tt.env != "" {
				t.Setenv(tt.env, "x")
			}
			args := append(gatewayPlaces(t), "--listen", "127.0.0.1:0")
			args = append(args, strings.Fields(tt.args)...)
			if err := gatewayCommand(t.Context(), io.Discard, io.Discard, args...); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
	if err := gatewayCommand(t.Context(), io.Discard, io.Discard, "--production", "--keys", keys); err == nil || !strings.Contains(err.Error(), "wants --ledger and --secret") {
		t.Errorf("production without places: %v", err)
	}
}

// TestGatewaySecretLost starts with a ledger whose secret is gone.
func TestGatewaySecretLost(t *testing.T) {
	places := gatewayPlaces(t)
	_, stop := startGateway(t, places...)
	stop()
	if err := os.Remove(places[3]); err != nil {
		t.Fatal(err)
	}
	err := gatewayCommand(t.Context(), io.Discard, io.Discard, append(places, "--listen", "127.0.0.1:0")...)
	if err == nil || !strings.Contains(err.Error(), "another secret") || !strings.Contains(err.Error(), "--rotate") {
		t.Errorf("another secret: %v, want a refusal that names --rotate", err)
	}
	_, stop = startGateway(t, append(places, "--rotate")...)
	stop()
}

func TestGatewayKey(t *testing.T) {
	var out, errs bytes.Buffer
	if err := gatewayCommand(t.Context(), &out, &errs, "key", "--subject", "team"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, key, _ := strings.Cut(strings.TrimSpace(errs.String()), ": ")
	places := gatewayPlaces(t)
	base, stop := startGateway(t, append(places, "--keys", file)...)
	if a := postGateway(t, base+"/v1/embeddings", key, `{"input": "a", "user": "bob"}`); len(a.Data) != 1 {
		t.Errorf("with the key: %+v", a)
	}
	if a := postGateway(t, base+"/v1/embeddings", key+"x", `{"input": "a"}`); a.Error.Code != "invalid_api_key" {
		t.Errorf("with another key: %+v", a)
	}
	if said := stop(); strings.Contains(said, key) || !strings.Contains(said, `"key":"team"`) {
		t.Errorf("the log holds the key or not its subject: %s", said)
	}
	l, err := ledger.OpenFile(places[1], ledger.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if b, err := l.Balance(t.Context(), "team/bob"); err != nil || b.Spent.EpsilonValue() != 8 {
		t.Errorf("team/bob spent %v (%v), want 8", b.Spent, err)
	}
}

// TestGatewayModel trains a small model, and has the gateway release with its
// first half and a server that holds the second classify.
func TestGatewayModel(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "model")
	if code, _, errs := clitest.Sotto(t, "", strings.Fields("train --data reviews --limit 200 --method noise --epsilon 8 --epochs 1 --seeds 1 --out "+dir)...); code != command.ExitDone {
		t.Fatal(errs)
	}
	seeds, err := filepath.Glob(filepath.Join(dir, "seed-*"))
	if err != nil || len(seeds) != 1 {
		t.Fatalf("folders of seeds: %v, %v", seeds, err)
	}
	base, stop := startGateway(t, append(gatewayPlaces(t), "--model", seeds[0], "--server", "http://127.0.0.1:1")...)
	a := postGateway(t, base+"/v1/embeddings", "", `{"input": "what a wonderful day"}`)
	if len(a.Data) != 1 || a.Privacy.Mechanism != "laplace-l1" || a.Privacy.Model == "" || a.Privacy.Paid != 1 {
		t.Errorf("release of a model: %+v", a)
	}
	if a = postGateway(t, base+"/v1/classify", "", `{"input": "what a wonderful day"}`); a.Error.Code != "server_unavailable" {
		t.Errorf("with the server down: %+v", a)
	}
	stop()
}

// TestGatewayDropout: a model that was trained with dropout is served with it.
func TestGatewayDropout(t *testing.T) {
	dir := filepath.Join(smallModel(t, "--dropout", "0.5"), "seed-1")
	base, stop := startGateway(t, append(gatewayPlaces(t), "--model", dir)...)
	const body = `{"input": "what a long and wonderful day it was", "user": "alice"}`
	a, b := postGateway(t, base+"/v1/embeddings", "", body), postGateway(t, base+"/v1/embeddings", "", body)
	if a.Privacy.Dropout != 0.5 || a.Privacy.Word == nil || !(float64(a.Privacy.Word.Epsilon) < a.Privacy.Epsilon) {
		t.Errorf("the promise is %+v, want dropout and a smaller ε for a word", a.Privacy)
	}
	if b.Privacy.Repeated != 1 || string(a.Data[0].Embedding) != string(b.Data[0].Embedding) {
		t.Error("the same text has another release")
	}
	if said := stop(); !strings.Contains(said, "each word is masked with probability 0.5") {
		t.Errorf("the gateway said %s", said)
	}
}
