//go:build linux

package fortress_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/service/httpserve/servetest"
)

var production = []attack{
	{"--production with what must not be", "each start is refused", productionRefuses},
	{"--production where others can change a file or a folder above it", "each start is refused, by the flag's name", productionGuards},
	{"--production with root's secrets behind Kubernetes' links", "it starts, as another user", productionStarts},
}

func productionRefuses(s *scene) {
	_, keys := s.key()
	open := filepath.Join(s.TempDir(), "keys")
	content, err := os.ReadFile(keys)
	if err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(open, content, 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Chmod(open, 0o666); err != nil {
		s.Fatal(err)
	}
	at := s.place()
	s.secret(at.secret)
	beside := filepath.Join(filepath.Dir(at.ledger), "secret")
	s.secret(beside)
	head := filepath.Join(at.dir, "head")
	file := []string{"--ledger", at.ledger, "--secret", at.secret, "--head", head}
	database := func(mode string) []string {
		return []string{"--ledger", "postgres://sotto@db.example/sotto" + mode, "--secret", at.secret, "--keys", keys}
	}
	lines := []struct {
		why  string // that the refusal must give
		args []string
	}{
		{"sslmode=disable", database("?sslmode=disable")},
		{"sslmode=allow", database("?sslmode=allow")},
		{"no sslmode", database("")},
		{"mode 0666", append(file, "--keys", open)},
		{"the secret lies beside the ledger", []string{"--ledger", at.ledger, "--secret", beside, "--head", head, "--keys", keys}},
		{"the head lies beside the ledger", []string{"--ledger", at.ledger, "--secret", at.secret, "--keys", keys}},
		{"the head lies beside the ledger", append(file, "--keys", keys, "--head", at.ledger+".head")},
		{"--server is on another machine", append(file, "--keys", keys, "--server", "http://server.example:8788")},
		{"--ledger has a password", []string{"--ledger", "postgres://sotto:hunter2@db.example/sotto?sslmode=verify-full", "--secret", at.secret, "--keys", keys}},
		{"--max-clock-jump is", append(file, "--keys", keys, "--max-clock-jump", "1000h", "--max-away", "1000h")},
		{"in the clear", append(file, "--keys", keys, "--listen", "0.0.0.0:0")},
		{"in the clear", append(file, "--keys", keys, "--listen", ":0")},
		{"no --keys", file},
		{"--page", append(file, "--keys", keys, "--page")},
		{"no such file", []string{"--ledger", at.ledger, "--secret", at.secret + ".none", "--head", head, "--keys", keys}},
		{"there is no ledger", append(file, "--keys", keys)},
	}
	right := 0
	for _, line := range lines {
		p, err := s.startSoon(append([]string{"gateway", "--production"}, line.args...)...)
		switch {
		case err == nil:
			p.kill()
			s.fell("%s: it starts", line.why)
		case !strings.Contains(err.Error(), line.why):
			s.fell("%s: %v", line.why, err)
		default:
			right++
		}
	}
	s.note("%d of %d refused, each for its own reason", right, len(lines))
}

// productionGuards spoils one thing after the other of a gateway that would start: the mode
// of a file, the mode of a folder above it, and whose it is.
func productionGuards(s *scene) {
	_, keys := s.key()
	dir := s.TempDir()
	at := func(name string) string { return filepath.Join(dir, name, "file") }
	cert, private := servetest.Certify(s.T)
	content := map[string][]byte{"ledger": nil, "head": nil, "secret": bytes.Repeat([]byte{7}, 32), "config": []byte(`{"budget": 80}`)}
	for name, from := range map[string]string{"keys": keys, "tls-cert": cert, "tls-key": private} {
		b, err := os.ReadFile(from)
		if err != nil {
			s.Fatal(err)
		}
		content[name] = b
	}
	args := []string{"gateway", "--production", "--encoder", "hash:16", "--mechanism", "laplace-l1", "--window", "8760h"}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		err := os.Mkdir(filepath.Dir(at(name)), 0o700)
		if b := content[name]; err == nil && b != nil {
			err = os.WriteFile(at(name), b, 0o600)
		}
		if err != nil {
			s.Fatal(err)
		}
		args = append(args, "--"+name, at(name))
	}
	model := filepath.Join(s.model(), "good")
	s.must("budget", "init", "--ledger", at("ledger"), "--head", at("head"), "--window", "8760h")
	p := s.run(args...)
	p.end(time.Minute)
	spoil := func(flag, path string, how func(string) error, back func(string) error, more ...string) {
		if err := how(path); err != nil {
			s.Fatal(err)
		}
		p, err := s.startSoon(append(slices.Clone(args), more...)...)
		switch {
		case err == nil:
			p.kill()
			s.fell("--%s: it starts with %s", flag, path)
		case !strings.Contains(err.Error(), "--"+flag+": ") || !strings.Contains(err.Error(), "must be") && !strings.Contains(err.Error(), "must belong"):
			s.fell("--%s: %v", flag, err)
		}
		if err := back(path); err != nil {
			s.Fatal(err)
		}
	}
	mode := func(m os.FileMode) func(string) error { return func(path string) error { return os.Chmod(path, m) } }
	owner := func(id int) func(string) error { return func(path string) error { return os.Chown(path, id, id) } }
	n := 0
	for name := range content {
		spoil(name, at(name), mode(0o666), mode(0o600))
		spoil(name, filepath.Dir(at(name)), mode(0o770), mode(0o700))
		n += 2
		if os.Geteuid() == 0 {
			spoil(name, at(name), owner(12345), owner(0))
			spoil(name, filepath.Dir(at(name)), owner(12345), owner(0))
			n += 2
		}
	}
	args = slices.DeleteFunc(args, func(a string) bool {
		return a == "--encoder" || a == "hash:16" || a == "--mechanism" || a == "laplace-l1"
	})
	spoil("model", filepath.Join(model, "weights.safetensors"), mode(0o666), mode(0o600), "--model", model)
	spoil("model", filepath.Join(model, "secret"), mode(0o640), mode(0o600), "--model", model)
	spoil("model", filepath.Dir(model), mode(0o777), mode(0o700), "--model", model)
	s.note("%d tried", n+3)
}

// productionStarts lays files out as Kubernetes does and starts a gateway as user 65532, to
// whom root gives secrets by a group. Root alone can do that.
func productionStarts(s *scene) {
	setpriv, err := exec.LookPath("setpriv")
	if err != nil || os.Geteuid() != 0 {
		s.Skip("needs root and setpriv")
	}
	const user = 65532
	_, keys := s.key()
	dir := s.TempDir()
	content := map[string][]byte{"secret": bytes.Repeat([]byte{7}, 32)}
	if content["keys"], err = os.ReadFile(keys); err != nil {
		s.Fatal(err)
	}
	// The folders above are those of a test, and for its owner alone.
	all := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(workplace, 0o755))
	for name, b := range map[string][]byte{"secret": content["secret"], "keys": content["keys"]} {
		mount := filepath.Join(dir, name)
		file := filepath.Join(mount, "..2026_01_31", name)
		all = errors.Join(all, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, b, 0o600), os.Chown(file, 0, user), os.Chmod(file, 0o440),
			os.Symlink("..2026_01_31", filepath.Join(mount, "..data")), os.Symlink("..data/"+name, filepath.Join(mount, name)),
			os.Chown(mount, 0, user), os.Chmod(mount, 0o777|os.ModeSticky|os.ModeSetgid))
	}
	for _, name := range []string{"book", "heads"} {
		all = errors.Join(all, os.Mkdir(filepath.Join(dir, name), 0o700), os.Chown(filepath.Join(dir, name), user, user))
	}
	if all != nil {
		s.Fatal(all)
	}
	place := []string{"--ledger", filepath.Join(dir, "book", "ledger"), "--head", filepath.Join(dir, "heads", "ledger")}
	as := []string{setpriv, "--reuid", strconv.Itoa(user), "--regid", strconv.Itoa(user), "--clear-groups", "--no-new-privs"}
	init := exec.Command(as[0], slices.Concat(as[1:], []string{binary, "budget", "init", "--window", "8760h"}, place)...)
	if out, failed := init.CombinedOutput(); failed != nil {
		s.Fatalf("sotto budget init: %v: %s", failed, out)
	}
	p, err := s.startUnder(as, slices.Concat([]string{"gateway", "--production", "--encoder", "hash:16", "--mechanism", "laplace-l1", "--window", "8760h", "--secret", filepath.Join(dir, "secret", "secret"), "--keys", filepath.Join(dir, "keys", "keys")}, place)...)
	if err != nil {
		s.fell("it does not start: %v", err)
		return
	}
	c := from("127.0.0.1", p.base)
	c.key = s.keyOf(p)
	a := c.embed("", "a text")
	s.judge(a.status == 200, "it starts, and answers %v", a)
}
