//go:build linux

package fortress_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

var roles = []attack{
	{"a key of another scope", "403 on every route but its own", scopes},
	{"/metrics without its scope", "refused with 401 or 403", metricsScope},
	{"a key that has expired", "401", expired},
	{"a key that is revoked (SIGHUP)", "401 within 5 s; other keys go on", revoked},
	{"a broken file of keys on SIGHUP", "the old keys stay; the log says so", brokenKeys},
	{"guessed keys", "401 for each, and no memory", guesses},
}

// key makes a key for the subject shop, and a file that holds its entry alone.
func (s *scene) key(more ...string) (key, file string) {
	s.Helper()
	out := filepath.Join(s.TempDir(), "keys")
	return s.addKey(out, "shop", more...), out
}

// addKey adds a key to a file.
func (s *scene) addKey(file, subject string, more ...string) string {
	s.Helper()
	shown := s.must(append([]string{"gateway", "key", "--subject", subject}, more...)...)
	var key, entry string
	for line := range strings.Lines(shown) {
		if strings.HasPrefix(line, "{") {
			entry = line
		} else if _, k, ok := strings.Cut(strings.TrimSpace(line), "once: "); ok {
			key = k
		}
	}
	if key == "" || entry == "" {
		s.Fatalf("no key in %q", shown)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		s.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(entry); err != nil {
		s.Fatal(err)
	}
	s.keys = append(s.keys, key)
	return key
}

// keyOf is a key that a process with keys takes, "" if it has none.
func (s *scene) keyOf(p *process) string {
	if !strings.Contains(strings.Join(p.Args, " "), "--keys") || len(s.keys) == 0 {
		return ""
	}
	return s.keys[0]
}

// routes are what keys may be for.
func routes(c *caller) map[string]answer {
	return map[string]answer{
		"embed":    c.embed("", "a text"),
		"classify": c.do("POST", "/v1/classify", `{"input": "a text"}`),
		"budget":   c.do("GET", "/v1/budget", ""),
		"metrics":  c.do("GET", "/metrics", ""),
	}
}

func scopes(s *scene) {
	file := filepath.Join(s.TempDir(), "keys")
	all := []string{"embed", "classify", "budget", "metrics"}
	keys := map[string]string{}
	for _, scope := range all {
		keys[scope] = s.addKey(file, scope+"-only", "--scope", scope)
	}
	g := s.gateway("--keys", file)
	wrong := 0
	for scope, key := range keys {
		c := from("127.0.0.1", g.base)
		c.key = key
		for route, a := range routes(c) {
			if open := a.err == nil && a.status != http.StatusForbidden && a.status != http.StatusUnauthorized; open != (route == scope) {
				wrong++
				s.fell("a key for %s at %s: %v", scope, route, a)
			}
		}
	}
	s.note("%d of 16 pairs wrong", wrong)
}

func metricsScope(s *scene) {
	key, file := s.key()
	g := s.gateway("--keys", file)
	c := from("127.0.0.1", g.base)
	without := c.do("GET", "/metrics", "")
	c.key = key
	with := c.do("GET", "/metrics", "")
	s.judge(without.status == http.StatusUnauthorized && with.status == http.StatusForbidden, "without a key %v, with a plain key %v", without, with)
}

func expired(s *scene) {
	key, file := s.key("--expires", "1s")
	g := s.gateway("--keys", file)
	c := from("127.0.0.1", g.base)
	c.key = key
	first := c.embed("", "a text")
	took, ok := within(10*time.Second, func() bool { return c.embed("", "a text").status == http.StatusUnauthorized })
	s.judge(ok, "at first %v; refused: %v, after %.1f s", first, ok, took.Seconds())
}

func revoked(s *scene) {
	file := filepath.Join(s.TempDir(), "keys")
	bad := s.addKey(file, "thief")
	good := filepath.Join(s.TempDir(), "keys")
	kept := s.addKey(good, "shop")
	content, err := os.ReadFile(good)
	if err != nil {
		s.Fatal(err)
	}
	both, err := os.ReadFile(file)
	if err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(file, append(both, content...), 0o600); err != nil {
		s.Fatal(err)
	}
	g := s.gateway("--keys", file)
	c, other := from("127.0.0.1", g.base), from("127.0.0.1", g.base)
	c.key, other.key = bad, kept
	if a := c.embed("", "a text"); a.status != http.StatusOK {
		s.Fatal(a)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		s.Fatal(err)
	}
	g.Process.Signal(syscall.SIGHUP) //nolint:errcheck // judged below
	took, ok := within(5*time.Second, func() bool { return c.embed("", "a text").status == http.StatusUnauthorized })
	a := other.embed("", "a text")
	s.judge(ok && a.status == http.StatusOK, "revoked: %v, after %.1f s; another key: %v", ok, took.Seconds(), a)
}

func brokenKeys(s *scene) {
	key, file := s.key()
	g := s.gateway("--keys", file)
	c := from("127.0.0.1", g.base)
	c.key = key
	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		s.Fatal(err)
	}
	g.Process.Signal(syscall.SIGHUP) //nolint:errcheck // judged below
	time.Sleep(500 * time.Millisecond)
	a := c.embed("", "a text")
	s.judge(g.alive() && a.status == http.StatusOK, "alive: %v, %v", g.alive(), a)
}

func guesses(s *scene) {
	_, file := s.key()
	g := s.gateway("--keys", file)
	c := from("127.0.0.1", g.base)
	count := crowd(s.many(5_000, 300), func(i int) answer {
		return c.do("POST", "/v1/embeddings", `{"input": "a text"}`, "Authorization", "Bearer sotto-"+strings.Repeat(string(rune('a'+i%26)), 40+i%400))
	})
	s.judge(count["200"] == 0 && g.alive() && g.peak() < mostMiB, "%v, %d MiB", count, g.peak())
}
