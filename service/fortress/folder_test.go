//go:build linux

package fortress_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"sotto/internal/signed"
)

const (
	manifest = "manifest.json"
	weights  = "weights.safetensors"
)

var folders = []attack{
	{"a model whose manifest is a FIFO", "refused; the others are served and reloaded; SIGTERM ends it", func(s *scene) { s.folder(manifest, fifo) }},
	{"a model whose weights are a FIFO", "refused; the others are served and reloaded; SIGTERM ends it", func(s *scene) { s.folder(weights, fifo) }},
	{"a model whose manifest is /dev/zero", "refused; the others are served and reloaded; below 512 MiB", func(s *scene) { s.folder(manifest, device) }},
	{"a model whose weights are /dev/zero", "refused; the others are served and reloaded; below 512 MiB", func(s *scene) { s.folder(weights, device) }},
	{"a model whose manifest has a terabyte", "refused; the others are served and reloaded; below 512 MiB", func(s *scene) { s.folder(manifest, sparse) }},
	{"a model whose weights have a terabyte", "refused; the others are served and reloaded; below 512 MiB", func(s *scene) { s.folder(weights, sparse) }},
	{"a model whose manifest is a folder", "refused; the others are served and reloaded; below 512 MiB", func(s *scene) {
		s.folder(manifest, func(path string) error { return os.Mkdir(path, 0o700) })
	}},
	{"a gateway's model whose weights are a FIFO", "the start is refused within 25 s", gatewayModel},
	{"a gateway's signed model, each file changed, added, removed, linked", "the start is refused, with the reason", signedModel},
}

func fifo(path string) error   { return syscall.Mkfifo(path, 0o600) }
func device(path string) error { return os.Symlink("/dev/zero", path) }

func sparse(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(1 << 40)
}

// copyModel puts a copy of the good model beside it, less one file.
func copyModel(s *scene, dir, name string) string {
	s.Helper()
	to := filepath.Join(dir, name)
	if err := copyPrivate(to, filepath.Join(dir, "good")); err != nil {
		s.Fatal(err)
	}
	return to
}

// copyPrivate copies a folder of files for its owner alone: os.CopyFS lets others read, and a
// model's secret that they may is refused.
func copyPrivate(to, from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if err = os.WriteFile(filepath.Join(to, e.Name()), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// folder puts a bad model beside a good one, before a start and under a server
// that runs, and sees that a model that comes later is still taken up.
func (s *scene) folder(file string, bad func(path string) error) {
	s.Helper()
	for _, live := range []bool{false, true} {
		dir := s.model()
		spoil := func() {
			to := copyModel(s, s.model(), "bad")
			path := filepath.Join(to, file)
			if err := os.Remove(path); err != nil {
				s.Fatal(err)
			}
			if err := bad(path); err != nil {
				s.Fatal(err)
			}
			if err := os.Rename(to, filepath.Join(dir, "bad")); err != nil {
				s.Fatal(err)
			}
		}
		when := "before a start"
		if live {
			when = "while it runs"
		} else {
			spoil()
		}
		p, err := s.startSoon("serve", "--model", dir, "--poll", "100ms", "--withdraw", "0s")
		if err != nil {
			s.fell("%s: %s", when, shortened(err.Error()))
			continue
		}
		if live {
			spoil()
			time.Sleep(500 * time.Millisecond)
		}
		copyModel(s, dir, "later")
		c := from("127.0.0.1", p.base)
		_, taken := within(answered, func() bool { return c.do("GET", "/v2/models/later", "").status == http.StatusOK })
		good := c.do("GET", "/v2/models/good", "")
		is := c.do("GET", "/v2/models/bad", "")
		s.judge(taken && good.status == http.StatusOK && is.status != http.StatusOK, "%s: the good one %d, the bad one %d, a later one is taken up: %v", when, good.status, is.status, taken)
		s.judge(p.peak() < mostMiB, "%d MiB", p.peak())
		_, killed := p.end(answered)
		s.judge(!killed, "SIGTERM ends it: %v", !killed)
	}
}

// startSoon starts a command that may hang before it listens.
func (s *scene) startSoon(args ...string) (*process, error) {
	type result struct {
		p   *process
		err error
	}
	done := make(chan result, 1)
	go func() {
		p, err := s.start(args...)
		done <- result{p, err}
	}()
	select {
	case r := <-done:
		return r.p, r.err
	case <-time.After(answered):
		return nil, errHangs
	}
}

var errHangs = errors.New("it hangs, and does not listen")

func gatewayModel(s *scene) {
	dir := s.model()
	path := filepath.Join(dir, "good", weights)
	if err := os.Remove(path); err != nil {
		s.Fatal(err)
	}
	if err := fifo(path); err != nil {
		s.Fatal(err)
	}
	at := s.place()
	at.flags = nil // the model has an encoder and a mechanism
	_, err := s.startSoon(at.args("--model", filepath.Join(dir, "good"))...)
	s.judge(err != nil && !errors.Is(err, errHangs) && !strings.Contains(err.Error(), "minute"), "%s", shortened(err.Error()))
}

// signedModel changes a signed model in every way that a folder can be changed.
func signedModel(s *scene) {
	key, other := signed.NewKey(), signed.NewKey()
	public := filepath.Join(s.TempDir(), "key.pub")
	if err := os.WriteFile(public, key.Public().Text(), 0o600); err != nil {
		s.Fatal(err)
	}
	flip := func(file string) func(dir string) error {
		return func(dir string) error {
			content, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				return err
			}
			content[len(content)/2] ^= 1
			return os.WriteFile(filepath.Join(dir, file), content, 0o600)
		}
	}
	refused, tried := 0, 0
	for want, change := range map[string]func(dir string) error{
		"":                      func(string) error { return nil },
		weights + ": ":          flip(weights),
		manifest + ": ":         flip(manifest),
		"secret: ":              flip("secret"),
		signed.ListFile + ": ":  flip(signed.ListFile),
		"it is missing":         func(dir string) error { return os.Remove(filepath.Join(dir, weights)) },
		"after the folder was":  func(dir string) error { return os.WriteFile(filepath.Join(dir, "more"), nil, 0o600) },
		"it is a link":          func(dir string) error { return os.Symlink(manifest, filepath.Join(dir, "more")) },
		"is by the key":         func(dir string) error { return other.SignFolder(dir, "") },
		"there is no SHA256SUM": func(dir string) error { return os.Remove(filepath.Join(dir, signed.ListFile+signed.End)) },
		"in its two parents":    func(dir string) error { return os.Remove(filepath.Join(dir, signed.ListFile)) },
	} {
		dir := filepath.Join(s.model(), "good")
		if err := errors.Join(key.SignFolder(dir, ""), change(dir)); err != nil {
			s.Fatal(err)
		}
		at := s.place()
		at.flags = nil // the model has an encoder and a mechanism
		_, err := s.startSoon(at.args("--model", dir, "--verify", public)...)
		if want == "" {
			s.judge(err == nil, "as it was signed it starts: %v", err == nil)
			continue
		}
		tried++
		if err != nil && strings.Contains(err.Error(), want) {
			refused++
		} else {
			s.fell("%s: %v", want, err)
		}
	}
	s.judge(refused == tried, "%d of %d refused", refused, tried)
}
