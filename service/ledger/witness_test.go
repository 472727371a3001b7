package ledger_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"sotto/service/ledger"
)

func TestWitnessFile(t *testing.T) {
	f := ledger.HeadFile(filepath.Join(t.TempDir(), "head"))
	if h, err := f.Head(t.Context()); h != nil || err != nil {
		t.Errorf("no head: %+v, %v; want nothing", h, err)
	}
	if c, err := f.Clock(t.Context()); c != nil || err != nil {
		t.Errorf("nothing of the clock: %+v, %v; want nothing", c, err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := ledger.NotedHead{NotedEntry: ledger.NotedEntry{Seq: 3, Hash: strings.Repeat("0a", 32), At: at}, Seen: at, Right: ledger.Moment{Wall: at, Boot: "b", Since: 5}, Accepted: &ledger.AcceptedHead{Who: "carol"}}
	if err := f.SetHead(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	got, err := f.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if h.Format = got.Format; !reflect.DeepEqual(*got, h) {
		t.Errorf("got %+v, want %+v", *got, h)
	}
	c := ledger.NotedClock{Right: h.Right, Until: at, Who: "carol", Reason: "set"}
	if err = f.SetClock(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	said, err := f.Clock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c.Format = said.Format; *said != c {
		t.Errorf("got %+v, want %+v", *said, c)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := ledger.HeadFile(dir).Head(t.Context()); err == nil {
		t.Error("a folder is a head")
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, 1<<17), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.HeadFile(large).Head(t.Context()); err == nil {
		t.Error("a large file is a head")
	}
	if err := ledger.HeadFile(filepath.Join(dir, "no", "folder")).SetHead(t.Context(), ledger.NotedHead{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no folder: %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := ledger.OpenHead("postgres://:x:y", "a", nil); err == nil || strings.Contains(err.Error(), ":x:y") {
		t.Errorf("an address that is none: %v, want an error that does not quote it", err)
	}
	p, err := ledger.OpenHead("postgres://sotto:hidden@db.example/books", "a", nil)
	if err != nil || strings.Contains(p.String(), "hidden") || p.Close() != nil {
		t.Errorf("the place is %v, %v; want it without the password", p, err)
	}
}

// FuzzHead reads what is no head, or one that is written as it was read.
func FuzzHead(f *testing.F) {
	f.Add([]byte(`{"format":"sotto-head-1","seq":3,"hash":"` + strings.Repeat("0a", 32) + `","at":"2026-03-01T12:00:00Z","seen":"2026-03-01T12:00:00Z","clock":{"wall":"2026-03-01T12:00:00Z"}}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(``))
	path := filepath.Join(f.TempDir(), "head")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := ledger.HeadFile(path).Head(t.Context())
		if err != nil {
			return
		}
		if h.Seq == 0 || len(h.Hash) != 64 {
			t.Errorf("%q is read as %+v", content, h)
		}
		if err = ledger.HeadFile(path).SetHead(t.Context(), *h); err != nil {
			t.Fatal(err)
		}
		again, err := ledger.HeadFile(path).Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if h.Format, h.Doubtful = again.Format, false; !reflect.DeepEqual(again, h) {
			t.Errorf("%+v comes back as %+v, %v", h, again, err)
		}
	})
}
