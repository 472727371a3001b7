package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"sotto/service/ledger"
)

// FuzzParseEntry: what is read is written the same, and what is changed is not
// read.
func FuzzParseEntry(f *testing.F) {
	l := mustOpen(f, fileOpener(f), ledger.Options{Budget: daily, SecretID: "first", Clock: newClock().now})
	if _, err := l.Spend(f.Context(), request("alice", "a", 0.1)); err != nil {
		f.Fatal(err)
	}
	if err := l.Grant(f.Context(), ledger.Grant{Subject: "bob", Epsilon: 1, Delta: 1e-6, Who: "root", Reason: "<asked>"}); err != nil {
		f.Fatal(err)
	}
	if err := l.Entries(f.Context(), 1, func(e *ledger.Entry) error {
		line, err := json.Marshal(e)
		f.Add(line)
		return err
	}); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"seq":1}`))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := ledger.ParseEntry(line)
		if err != nil {
			if !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("the error is %v, want %v", err, ledger.ErrDamaged)
			}
			return
		}
		again, err := json.Marshal(e)
		if err != nil || !bytes.Equal(again, line) {
			t.Errorf("%s is written as %s, %v", line, again, err)
		}
		bad := bytes.Clone(line)
		bad[len(bad)/2] ^= 0x20 // the other case of a letter
		if _, err := ledger.ParseEntry(bad); err == nil {
			t.Errorf("%s is read, want an error", bad)
		}
	})
}

func TestDigest(t *testing.T) {
	d := key("a")
	var back ledger.Digest
	if err := back.UnmarshalText([]byte(d.String())); err != nil || back != d {
		t.Errorf("%v is read as %v, %v", d, back, err)
	}
	for _, bad := range []string{"", "00", d.String() + "0", "x" + d.String()[1:]} {
		if err := back.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is read, want an error", bad)
		}
	}
}
