package keys_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/service/gateway/keys"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// made makes a key and its line.
func made(tb testing.TB, o keys.Order) (key, line string, e keys.Entry) {
	tb.Helper()
	key, e, err := keys.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	content, err := json.Marshal(e)
	if err != nil {
		tb.Fatal(err)
	}
	return key, string(content), e
}

func parsed(tb testing.TB, lines ...string) *keys.Set {
	tb.Helper()
	s, err := keys.Parse(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestParse(t *testing.T) {
	_, good, e := made(t, keys.Order{Subject: "alice"})
	line := func(change func(*keys.Entry)) string {
		other := e
		change(&other)
		content, err := json.Marshal(other)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	for name, file := range map[string]string{
		"empty": "", "no JSON": "alice key", "unknown field": strings.Replace(good, `{`, `{"admin":true,`, 1), "twice": good + "\n" + good, "two on a line": good + good,
		"short salt": line(func(e *keys.Entry) { e.Salt = "00" }), "short hash": line(func(e *keys.Entry) { e.Hash = "00" }),
		"slash": line(func(e *keys.Entry) { e.Subject = "a/b" }), "id": line(func(e *keys.Entry) { e.ID = "" }),
		"unknown scope": line(func(e *keys.Entry) { e.Scopes = []keys.Scope{"root"} }), "scope twice": line(func(e *keys.Entry) { e.Scopes = []keys.Scope{"embed", "embed"} }),
		"time": strings.Replace(good, `{`, `{"expires":"tomorrow",`, 1),
	} {
		if _, err := keys.Parse(strings.NewReader(file)); err == nil || strings.Contains(err.Error(), "alice") || strings.Contains(err.Error(), "root") {
			t.Errorf("%s: Parse error = %v, want one that quotes nothing", name, err)
		}
	}
	for _, o := range []keys.Order{{}, {Subject: "a/b"}, {Subject: "(gateway)"}, {Subject: strings.Repeat("a", 65)}, {Subject: "a b"}, {Subject: "a", Scopes: []keys.Scope{"all"}}} {
		if _, _, err := keys.New(o); err == nil {
			t.Errorf("New(%+v) accepted it", o)
		}
	}
	if _, err := keys.ParseScopes("embed,,budget"); err == nil {
		t.Error("ParseScopes accepted an empty scope")
	}
	if got, err := keys.ParseScopes("embed, admin"); err != nil || !slices.Equal(got, []keys.Scope{keys.Embed, keys.Admin}) {
		t.Errorf("ParseScopes = %v, %v", got, err)
	}
}

// TestOldLines: a line from before there were scopes is for what it was for then,
// but for the metrics.
func TestOldLines(t *testing.T) {
	const line = `{"id":"5f2d6f4c9a31","subject":"shop","salt":"00112233445566778899aabbccddeeff","hash":"7bfe7cfd93cd9228c6e64d40479d4b25ef02fa331b41fd8cc01e4f19b193d3a8"}`
	h, err := parsed(t, line).Find("sotto_5f2d6f4c9a31_ABCDEFGHIJKLMNOPQRSTUVWXYZ", now)
	if err != nil || h.Subject != "shop" || h.Single {
		t.Fatalf("Find = %+v, %v", h, err)
	}
	for _, s := range keys.Scopes() {
		if want := s != keys.Metrics && s != keys.Admin; h.May(s) != want {
			t.Errorf("an old key may %s: %v, want %v", s, h.May(s), want)
		}
	}
}

func TestFind(t *testing.T) {
	key, line, _ := made(t, keys.Order{Subject: "shop", Scopes: []keys.Scope{keys.Metrics}, Expires: now, Single: true})
	_, other, _ := made(t, keys.Order{Subject: "other"})
	set := parsed(t, other, line)
	h, err := set.Find(key, now.Add(-time.Second))
	if err != nil || h.Subject != "shop" || !h.Single || !h.May(keys.Metrics) || h.May(keys.Embed) || h.May(keys.Admin) {
		t.Errorf("Find = %+v, %v", h, err)
	}
	if _, err = set.Find(key, now); !errors.Is(err, keys.ErrExpired) || !strings.Contains(err.Error(), "2026-06-01T12:00:00Z") {
		t.Errorf("after its time: %v, want ErrExpired and when", err)
	}
	// Who has not the right key does not learn that it has expired.
	for _, wrong := range []string{key[:len(key)-1], key[:19] + strings.Repeat("A", 26), "", "sotto_", "Bearer " + key} {
		if _, err = set.Find(wrong, now); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("Find(%.12q…) error = %v, want ErrUnknown", wrong, err)
		}
	}
	if set.Active(now) != 1 || set.Active(now.Add(-time.Second)) != 2 {
		t.Errorf("%d keys work, %d a second before; want 1 and 2", set.Active(now), set.Active(now.Add(-time.Second)))
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	key, _, e := made(t, keys.Order{Subject: "shop"})
	second, _, f := made(t, keys.Order{Subject: "bank"})
	third, _, g := made(t, keys.Order{Subject: "shop", Scopes: []keys.Scope{keys.Admin}})
	for _, entry := range []keys.Entry{e, f, g} {
		if err := keys.Add(path, entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := keys.Add(path, e); err == nil {
		t.Error("Add took an entry twice")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v (%v), want 0600", info.Mode(), err)
	}
	works := func(key string) bool {
		t.Helper()
		set, err := keys.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = set.Find(key, now)
		return err == nil
	}
	if !works(key) || !works(second) || !works(third) {
		t.Error("a key that was added does not work")
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = keys.Revoke(path, []string{f.ID, "nobody"}, now); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("Revoke of nobody: %v", err)
	}
	if after, failed := os.ReadFile(path); failed != nil || string(after) != string(before) {
		t.Error("a refused Revoke changed the file")
	}
	got, err := keys.Revoke(path, []string{f.ID}, now)
	if err != nil || len(got) != 1 || got[0].Subject != "bank" {
		t.Errorf("Revoke = %v, %v", got, err)
	}
	if !works(key) || works(second) || !works(third) {
		t.Error("other keys than the one that was revoked do not work, or it does")
	}
	if got, err = keys.Revoke(path, []string{"shop", f.ID}, now); err != nil || len(got) != 2 {
		t.Errorf("Revoke of a subject = %v, %v, want its two keys", got, err)
	}
	if works(key) || works(second) || works(third) {
		t.Error("a key that was revoked works")
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v (%v), want the file alone", left, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := keys.Load(dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 1<<40); err != nil {
		t.Skip("no sparse files here")
	}
	if _, err := keys.Load(big); err == nil || !strings.Contains(err.Error(), "must have at most") {
		t.Errorf("a file of a tebibyte: %v", err)
	}
}

// FuzzParse reads any file of keys without a panic.
func FuzzParse(f *testing.F) {
	f.Add(`{"id":"0123456789ab","subject":"a","salt":"00112233445566778899aabbccddeeff","hash":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"}`)
	f.Add(`{"id":"0123456789ab","subject":"a","salt":"00112233445566778899aabbccddeeff","hash":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff","scopes":["admin"],"expires":"2026-01-01T00:00:00Z"}`)
	f.Add("{}\n\n")
	f.Fuzz(func(t *testing.T, file string) {
		s, err := keys.Parse(strings.NewReader(file))
		if (err == nil) != (s != nil) || err == nil && s.Len() == 0 {
			t.Errorf("Parse = %v, %v", s, err)
		}
		if err != nil {
			return
		}
		var again strings.Builder
		for _, e := range s.Entries() {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&again, "%s\n", line)
		}
		if other, err := keys.Parse(strings.NewReader(again.String())); err != nil || other.Len() != s.Len() {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}

func Example() {
	key, entry, err := keys.New(keys.Order{Subject: "shop", Scopes: []keys.Scope{keys.Embed}, Expires: now.AddDate(0, 0, 90)})
	if err != nil {
		panic(err)
	}
	line, err := json.Marshal(entry)
	if err != nil {
		panic(err)
	}
	set, err := keys.Parse(strings.NewReader(string(line)))
	if err != nil {
		panic(err)
	}
	who, err := set.Find(key, now)
	fmt.Println(who.Subject, who.May(keys.Embed), who.May(keys.Metrics), err)
	// Output: shop true false <nil>
}
