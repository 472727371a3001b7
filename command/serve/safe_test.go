package serve_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sotto/service/gateway/keys"
	"sotto/service/httpserve/servetest"
)

// random makes a secret.
func random(t *testing.T, path string) string {
	t.Helper()
	if err := os.WriteFile(path, bytes.Repeat([]byte{7}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestProductionRefused starts with each thing that production must not be, all
// others being in order.
func TestProductionRefused(t *testing.T) {
	dir := t.TempDir()
	file, secret, ledger := keyFile(t), random(t, filepath.Join(t.TempDir(), "secret")), filepath.Join(dir, "ledger")
	const db = "postgres://sotto:hunter2@db.example/sotto"
	head := filepath.Join(t.TempDir(), "head")
	// A file of keys in the same mode as one that others can write, and in a folder
	// that they can.
	group, open := keyFile(t), keyFile(t)
	readable := random(t, filepath.Join(t.TempDir(), "secret"))
	if err := errors.Join(os.Chmod(group, 0o660), os.Chmod(filepath.Dir(open), 0o777), os.Chmod(readable, 0o640)); err != nil {
		t.Fatal(err)
	}
	groups, links, config := filepath.Join(t.TempDir(), "groups"), t.TempDir(), filepath.Join(t.TempDir(), "config.json")
	cert, key := servetest.Certify(t)
	copied := func(from string, mode os.FileMode) string {
		content, err := os.ReadFile(from)
		to := filepath.Join(t.TempDir(), "copy.pem")
		if err = errors.Join(err, os.WriteFile(to, content, 0o600), os.Chmod(to, mode)); err != nil {
			t.Fatal(err)
		}
		return to
	}
	loose, shared := copied(cert, 0o666), copied(key, 0o640)
	if err := errors.Join(os.Mkdir(groups, 0o700), os.Chmod(groups, 0o775), os.Symlink(filepath.Join(groups, "secret"), filepath.Join(links, "secret")),
		os.WriteFile(config, []byte(`{"epsilon": 8}`), 0o600), os.Chmod(config, 0o666)); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		ledger, secret, keys, more string
		want                       string
		modes                      bool // which Windows has not
	}{
		"no keys":              {ledger, secret, "", "", "there is no --keys", false},
		"a page":               {ledger, secret, file, "--page", "--page shows raw vectors", false},
		"plain HTTP":           {ledger, secret, file, "--listen 0.0.0.0:0", "there is no --tls-cert", false},
		"a second address":     {ledger, secret, file, "--admin-listen 0.0.0.0:0", "--admin-listen is not on this machine alone", false},
		"beside":               {ledger, random(t, filepath.Join(dir, "secret")), file, "", "the secret lies beside the ledger", false},
		"no secret":            {ledger, filepath.Join(t.TempDir(), "none"), file, "", "no such file", false},
		"readable secret":      {ledger, readable, file, "", "readable by its owner alone", true},
		"keys of a group":      {ledger, secret, group, "", "others can write a key into it", true},
		"keys in a folder":     {ledger, secret, open, "", "everybody can put another in its place", true},
		"disable":              {db + "?sslmode=disable", secret, file, "", "has sslmode=disable", false},
		"disable on 127":       {"postgres://sotto@127.0.0.1/sotto?sslmode=disable", secret, file, "", "has sslmode=disable", false},
		"allow":                {db + "?sslmode=allow", secret, file, "", "has sslmode=allow", false},
		"prefer":               {db + "?sslmode=prefer", secret, file, "", "no sslmode that demands encryption", false},
		"left to chance":       {db, secret, file, "", "no sslmode that demands encryption", false},
		"one of two hosts":     {"postgres://sotto@127.0.0.1,db.example/sotto", secret, file, "", "no sslmode that demands encryption", false},
		"no head":              {ledger, secret, file, "--head none", "--head is none", false},
		"head in the clear":    {ledger, secret, file, "--head " + db + "?sslmode=disable", "--head has sslmode=disable", false},
		"head beside":          {ledger, secret, file, "--head " + ledger + ".head", "the head lies beside the ledger", false},
		"server in the clear":  {ledger, secret, file, "--server http://server.example:8788", "--server is on another machine", false},
		"server by address":    {ledger, secret, file, "--server http://10.0.0.7:8788", "use https://", false},
		"password":             {db + "?sslmode=verify-full", secret, file, "", "--ledger has a password in its address", false},
		"password in a query":  {"postgres://sotto@db.example/sotto?sslmode=verify-full&password=hunter2", secret, file, "", "give it by PGPASSWORD", false},
		"password of the head": {ledger, secret, file, "--head " + db + "?sslmode=verify-full", "--head has a password", false},
		"a year's jump":        {ledger, secret, file, "--max-clock-jump 8760h --max-away 9000h", "--max-clock-jump is 8760h0m0s", false},
		"more than a window":   {ledger, secret, file, "--window 10m", "must be at most 10m0s", false},
		"config of all":        {ledger, secret, file, "--config " + config, "--config: " + config + " has mode 0666", true},
		"secret's folder":      {ledger, random(t, filepath.Join(groups, "secret")), file, "", "--secret: the folder " + groups + " has mode 0775", true},
		"ledger's folder":      {filepath.Join(groups, "ledger"), secret, file, "", "--ledger: the folder " + groups, true},
		"head's folder":        {ledger, secret, file, "--head " + filepath.Join(groups, "head"), "--head: the folder " + groups, true},
		"certificate":          {ledger, secret, file, "--tls-cert " + loose + " --tls-key " + key, "--tls-cert: " + loose + " has mode 0666", true},
		"key of a certificate": {ledger, secret, file, "--tls-cert " + cert + " --tls-key " + shared, "--tls-key: " + shared + " has mode 0640", true},
		"a model of all":       {ledger, secret, file, "--model " + groups, "--model: the folder " + groups, true},
		"a link to it":         {ledger, filepath.Join(links, "secret"), file, "", "--secret: the folder " + groups, true},
		"a host in a query":    {"postgres://sotto@/sotto?host=db.example", secret, file, "", "no sslmode that demands encryption", false},
	} {
		if tt.modes && runtime.GOOS == "windows" {
			continue
		}
		args := []string{"--production", "--listen", "127.0.0.1:0", "--ledger", tt.ledger, "--secret", tt.secret, "--head", head}
		if tt.keys != "" {
			args = append(args, "--keys", tt.keys)
		}
		err := gatewayCommand(t.Context(), io.Discard, io.Discard, append(args, strings.Fields(tt.more)...)...)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error is %v, want %q", name, err, tt.want)
		}
	}
	t.Setenv("PGSSLMODE", "disable")
	if err := gatewayCommand(t.Context(), io.Discard, io.Discard, "--production", "--ledger", db, "--secret", secret, "--keys", file); err == nil || !strings.Contains(err.Error(), "has sslmode=disable") {
		t.Errorf("sslmode=disable of the environment: %v", err)
	}
	if _, err := os.Stat(ledger); err == nil {
		t.Error("a start that was refused made a ledger")
	}
}

// TestWarned: without --production the same is a line in the log.
func TestWarned(t *testing.T) {
	dir := t.TempDir()
	file := keyFile(t)
	if err := os.Chmod(file, 0o622); err != nil {
		t.Fatal(err)
	}
	_, stop := startGateway(t, "--ledger", filepath.Join(dir, "ledger"), "--secret", filepath.Join(dir, "secret"), "--keys", file)
	said := stop()
	for _, want := range []string{"the secret lies beside the ledger", "others can write a key into it"} {
		if runtime.GOOS != "windows" && strings.Count(said, want) != 1 {
			t.Errorf("the log says %d times %q, want once:\n%s", strings.Count(said, want), want, said)
		}
	}
}

// TestGatewayKeys makes, lists and revokes keys as a person does.
func TestGatewayKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.jsonl")
	run := func(args ...string) (string, string, error) {
		var out, errs bytes.Buffer
		err := gatewayCommand(t.Context(), &out, &errs, args...)
		return out.String(), errs.String(), err
	}
	for _, args := range [][]string{
		{"--subject", "shop"}, {"--subject", "prometheus", "--scope", "metrics", "--expires", "90d"}, {"--subject", "ops", "--scope", "admin, budget", "--expires", "2999-01-01"},
	} {
		out, errs, err := run(append([]string{"key", "--keys", file}, args...)...)
		if err != nil || out != "" || !strings.HasPrefix(errs, "the key, shown this once: sotto_") {
			t.Fatalf("%v: %q, %q, %v", args, out, errs, err)
		}
	}
	var lines []struct {
		ID, Subject, State string
		Scopes             []keys.Scope
		Expires            *time.Time
	}
	out, _, err := run("keys", "list", "--keys", file, "--json")
	if failed := json.Unmarshal([]byte(out), &lines); err != nil || failed != nil || len(lines) != 3 {
		t.Fatalf("list: %v, %v: %s", err, failed, out)
	}
	if lines[0].Expires != nil || len(lines[0].Scopes) != 3 || lines[1].Expires == nil || time.Until(*lines[1].Expires) < 89*24*time.Hour || lines[2].Expires.Year() != 2999 || lines[2].Scopes[1] != keys.Budget {
		t.Errorf("the keys are %s", out)
	}
	if out, _, err = run("keys", "revoke", "--keys", file, lines[1].ID); err != nil || !strings.Contains(out, "revoked "+lines[1].ID+" of prometheus") {
		t.Errorf("revoke: %q, %v", out, err)
	}
	if out, _, err = run("keys", "list", "--keys", file); err != nil || strings.Count(out, "revoked") != 1 || strings.Count(out, "active") != 2 {
		t.Errorf("after the revocation: %v\n%s", err, out)
	}
	for _, tt := range []struct{ args, want string }{
		{"key --subject a --scope all", "must be one of embed, classify, budget, metrics, admin"},
		{"key --subject a --scope embed,embed", "given twice"},
		{"key --subject a --expires yesterday", "must be a day or a time to come"},
		{"key --subject a --expires 2020-01-01", "must be a day or a time to come"},
		{"key --subject a --expires -1d", "must be a day or a time to come"},
		{"key --subject a --expires 999999d", "must be a day or a time to come"},
		{"key", "subject is \"\""},
		{"keys list", "want --keys"},
		{"keys revoke x", "want --keys"},
		{"keys revoke --keys " + file + " nobody", "has no key \"nobody\""},
		{"keys list --keys " + file + ".none", "no such file"},
	} {
		if _, _, err := run(strings.Fields(tt.args)...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("sotto gateway %s: error is %v, want %q", tt.args, err, tt.want)
		}
	}
}

// TestGatewayAlias gives other names by flags and as a list in the file of settings.
func TestGatewayAlias(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(config, []byte(`{"alias": ["text-embedding-3-small", "ada"], "encoder": "hash:32"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{"--config", config}, {"--encoder", "hash:32", "--alias", "ada", "--alias", "text-embedding-3-small"}} {
		base, stop := startGateway(t, append(gatewayPlaces(t), more...)...)
		for _, name := range []string{"sotto", "ada", "text-embedding-3-small"} {
			if a := postGateway(t, base+"/v1/embeddings", "", `{"input": "a", "model": "`+name+`"}`); len(a.Data) != 1 {
				t.Errorf("%v: model %s: %+v", more, name, a)
			}
		}
		stop()
	}
}
