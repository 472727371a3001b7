package ledger_test

import (
	"crypto/sha256"
	"errors"
	"testing"

	"sotto/service/ledger"
)

// testKeyed: a ledger that was written with a key is not written without it, or
// with another, and whoever reads it is told what is known of its MAC.
func testKeyed(t *testing.T, open opener) {
	c := newClock()
	// Whoever makes a ledger needs no secret; grants do not, either.
	maker := mustOpen(t, open, ledger.Options{Budget: daily, Clock: c.now})
	if err := maker.Grant(t.Context(), ledger.Grant{Subject: "alice", Epsilon: 1, Who: "admin", Reason: "before the first spend"}); err != nil {
		t.Fatal(err)
	}
	maker.Close()
	keyed := ledger.Options{Budget: daily, SecretID: "first", ChainKey: chainKey(1), Clock: c.now}
	l := mustOpen(t, open, keyed)
	if _, err := l.Spend(t.Context(), request("alice", "a", 1)); err != nil {
		t.Fatal(err)
	}
	if p := verify(t, l); p.MAC != ledger.MACChecked {
		t.Errorf("the MAC is %s, want checked", p.MAC)
	}
	l.Close()
	for name, o := range map[string]ledger.Options{
		"no key":        {Budget: daily, SecretID: "first"},
		"nothing":       {},
		"another name":  {Budget: daily, SecretID: "second", ChainKey: chainKey(1)},
		"another key":   {Budget: daily, SecretID: "first", ChainKey: chainKey(2)},
		"a short key":   {Budget: daily, SecretID: "first", ChainKey: chainKey(1)[:8]},
		"no secret":     {Budget: daily, ChainKey: chainKey(1)},
		"rotate itself": {Budget: daily, SecretID: "first", ChainKey: chainKey(2), Rotate: true},
	} {
		o.Clock = c.now
		if other, err := open(o); err == nil {
			other.Close()
			t.Errorf("opened with %s, want it refused", name)
		}
	}
	for _, tt := range []struct {
		options ledger.Options
		want    ledger.MACState
		err     error
	}{
		{ledger.Options{}, ledger.MACUnchecked, nil},
		{ledger.Options{SecretID: "first", ChainKey: chainKey(1)}, ledger.MACChecked, nil},
		{ledger.Options{SecretID: "first", ChainKey: chainKey(2)}, "", ledger.ErrDamaged},
		{ledger.Options{SecretID: "second", ChainKey: chainKey(2)}, "", ledger.ErrSecret},
	} {
		tt.options.ReadOnly, tt.options.Clock = true, c.now
		reader := mustOpen(t, open, tt.options)
		if p, err := reader.Verify(t.Context()); p.MAC != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("a reader with %+v: the MAC is %q, %v; want %q, %v", tt.options, p.MAC, err, tt.want, tt.err)
		}
		reader.Close()
	}
	rotated := ledger.Options{SecretID: "second", ChainKey: chainKey(2), Rotate: true, Clock: c.now}
	next := mustOpen(t, open, rotated)
	if _, err := next.Spend(t.Context(), request("alice", "b", 1)); err != nil {
		t.Fatal(err)
	}
	if p := verify(t, next); p.MAC != ledger.MACChecked || p.Entries != 6 {
		t.Errorf("after a new secret: %+v, want its MAC checked behind an entry that names it", p)
	}
	next.Close()
	if _, err := open(keyed); !errors.Is(err, ledger.ErrSecret) {
		t.Errorf("with the old secret: %v, want %v", err, ledger.ErrSecret)
	}
}

// TestForged: whoever can write the file and make its hashes anew, but has no
// key, is found out by the MAC, and not by the hashes.
func TestForged(t *testing.T) {
	keyed := ledger.Options{Budget: daily, SecretID: "first", ChainKey: chainKey(1), Clock: newClock().now}
	for name, mac := range map[string]func(old [16]byte) [16]byte{
		"the old MAC":     func(old [16]byte) [16]byte { return old },
		"no MAC":          func([16]byte) [16]byte { return [16]byte{} },
		"some other MAC":  func([16]byte) [16]byte { return [16]byte{1, 2, 3} },
		"no secret named": nil,
	} {
		path, _ := writtenBy(t, keyed)
		rewrite(t, path, func(frames []ledger.Frame) []ledger.Frame {
			var in, out ledger.Coder
			var hash [32]byte
			seq := uint64(0)
			for i := range frames {
				f := &frames[i]
				var body []byte
				count := uint32(0)
				for rest := f.Body; len(rest) > 0; {
					var r ledger.Record
					n, entry, err := in.Next(rest, &r)
					if err != nil {
						t.Fatal(err)
					}
					rest = rest[n:]
					if !entry || mac == nil && r.Means == nil && string(r.Other[:15]) == `"kind":"secret"` {
						continue
					}
					if r.Means != nil && r.Subject == "bob" {
						r.Subject = "mallory" // who pays for what bob has asked
					}
					seq++
					count++
					hash = sha256.Sum256(r.AppendLine(nil, seq, &hash))
					body, _ = out.Append(body, &r)
				}
				f.Body, f.Count, f.Head = body, count, hash
				if mac == nil {
					f.MAC = [16]byte{}
				} else {
					f.MAC = mac(f.MAC)
				}
			}
			return frames
		})
		if p, err := examine(t, path); err != nil {
			t.Errorf("%s: without the key: %+v, %v; want that nothing is found", name, p, err)
		}
		if l, err := ledger.OpenFile(path, keyed); !errors.Is(err, ledger.ErrDamaged) {
			if err == nil {
				l.Close()
			}
			t.Errorf("%s: opened with the key: %v, want %v", name, err, ledger.ErrDamaged)
		}
		reader, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true, ChainKey: keyed.ChainKey, SecretID: "first"})
		if err == nil {
			_, err = reader.Verify(t.Context())
			reader.Close()
		}
		if !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: verified with the key: %v, want %v", name, err, ledger.ErrDamaged)
		}
	}
}
