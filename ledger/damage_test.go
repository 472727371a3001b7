package ledger_test

import (
	"bytes"
	"errors"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"sotto/ledger"
)

// written makes a ledger with every kind of entry and returns its path and what
// Verify says of it.
func written(t *testing.T) (string, ledger.Proof) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := ledger.OpenFile(path, ledger.Options{Budget: daily, SecretID: "first", Clock: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("alice", "a", 1), request("bob", "b", 2)); err != nil {
		t.Fatal(err)
	}
	if err = l.Grant(t.Context(), ledger.Grant{Subject: "alice", Epsilon: 5, Who: "root", Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("alice", "c", 14)); err != nil {
		t.Fatal(err)
	}
	p := verify(t, l)
	if err = l.Close(); err != nil {
		t.Fatal(err)
	}
	return path, p
}

// examine opens and verifies a ledger by itself, without the head that was noted
// of it.
func examine(t *testing.T, path string, noted ...ledger.Digest) (ledger.Proof, error) {
	t.Helper()
	l, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true, Head: ledger.NoHead})
	if err != nil {
		return ledger.Proof{}, err
	}
	defer l.Close()
	return l.Verify(t.Context(), noted...)
}

// edit changes a file behind the ledger's back. Nothing is synced: only this
// process reads it.
func edit(t *testing.T, path string, change func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(change); err != nil {
		t.Fatal(err)
	}
}

type fileRow struct{ bucket, key, value []byte }

func rowsOf(t *testing.T, path string) []fileRow {
	t.Helper()
	var rows []fileRow
	edit(t, path, func(tx *bbolt.Tx) error {
		return tx.ForEach(func(bucket []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				rows = append(rows, fileRow{bytes.Clone(bucket), bytes.Clone(k), bytes.Clone(v)})
				return nil
			})
		})
	})
	return rows
}

// A flipped bit anywhere in a value is found, and so is every row that is gone.
func TestDamage(t *testing.T) {
	path, whole := written(t)
	step := 1
	if testing.Short() {
		step = 17
	}
	flips, rows := 0, rowsOf(t, path)
	for _, r := range rows {
		for i := 0; i < len(r.value); i += step {
			bad := bytes.Clone(r.value)
			bad[i] ^= 1 << (i % 8)
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(r.bucket).Put(r.key, bad) })
			if p, err := examine(t, path); !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("%s, key %x, byte %d: Verify says %+v, %v; want %v", r.bucket, r.key, i, p, err, ledger.ErrDamaged)
			}
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(r.bucket).Put(r.key, r.value) })
			flips++
		}
		edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(r.bucket).Delete(r.key) })
		if p, err := examine(t, path); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s without key %x: Verify says %+v, %v; want %v", r.bucket, r.key, p, err, ledger.ErrDamaged)
		}
		edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(r.bucket).Put(r.key, r.value) })
	}
	t.Logf("%d flips in %d rows", flips, len(rows))
	if p, err := examine(t, path, whole.Head); err != nil || p != whole {
		t.Errorf("mended again: %+v, %v; want %+v", p, err, whole)
	}
}

// A row that the log knows nothing of is found.
func TestDamageMore(t *testing.T) {
	path, _ := written(t)
	rows := rowsOf(t, path)
	for _, r := range rows {
		more := bytes.Clone(r.key)
		more[len(more)-1] ^= 1
		if string(r.bucket) == "meta" {
			continue // what else lies there has no meaning
		}
		there := false
		for _, other := range rows {
			there = there || bytes.Equal(other.bucket, r.bucket) && bytes.Equal(other.key, more)
		}
		if there {
			continue
		}
		edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(r.bucket).Put(more, r.value) })
		if p, err := examine(t, path); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s with key %x: Verify says %+v, %v; want %v", r.bucket, more, p, err, ledger.ErrDamaged)
		}
		edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(r.bucket).Delete(more) })
	}
}

// A damaged row is the trouble of those who need it, not of the others in the
// same write.
func TestDamageOfOne(t *testing.T) {
	path, _ := written(t)
	for _, r := range rowsOf(t, path) {
		if string(r.bucket) == "sums" && bytes.Contains(r.key, []byte("alice")) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(r.bucket).Put(r.key, []byte("short")) })
		}
	}
	l, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	answers := make(chan error, 40)
	for i := range 40 {
		go func() {
			who := "bob"
			if i%2 == 0 {
				who = "alice"
			}
			_, err := l.Spend(t.Context(), request(who, string(rune('0'+i)), 0.1))
			if who == "alice" && errors.Is(err, ledger.ErrDamaged) && errors.Is(err, ledger.ErrUnavailable) {
				err = nil
			} else if who == "alice" {
				err = errors.Join(errors.New("alice, whose sums are damaged, got another answer"), err)
			}
			answers <- err
		}()
	}
	for range 40 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if got := left(t, l, "bob"); got != 6 {
		t.Errorf("left of bob is %v, want 6", got)
	}
}

// An older copy of the file is whole, so that only a noted head betrays it.
func TestOlderCopy(t *testing.T) {
	path, old := written(t)
	copied, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("bob", "later", 1)); err != nil {
		t.Fatal(err)
	}
	noted := verify(t, l).Head
	l.Close()
	if _, err = examine(t, path, old.Head, noted); err != nil {
		t.Errorf("the file itself: %v", err)
	}
	if err = os.WriteFile(path, copied, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, failed := examine(t, path); failed != nil || p != old {
		t.Errorf("the older copy: %+v, %v; want %+v", p, failed, old)
	}
	if _, err = examine(t, path, noted); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("the older copy, with the noted head: %v, want %v", err, ledger.ErrDamaged)
	}
}

// Bytes that are changed in the file itself, below the library, are found or
// change nothing; either way nothing panics. Where they were is not chosen.
func TestDamageRaw(t *testing.T) {
	path, whole := written(t)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := weakrand.New(weakrand.NewPCG(3, 4))
	found, rounds := 0, 400
	if testing.Short() {
		rounds = 40
	}
	for range rounds {
		bad := bytes.Clone(content)
		i := r.IntN(len(bad))
		bad[i] ^= byte(1 + r.IntN(255))
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := examine(t, path, whole.Head)
		if err == nil && p != whole {
			t.Errorf("byte %d: the proof is %+v, want %+v or an error", i, p, whole)
		}
		if err != nil {
			found++
		}
	}
	for _, size := range []int{0, 1, 4096, 10000, 20000, len(content) / 2} {
		if err := os.WriteFile(path, content[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := examine(t, path, whole.Head); err == nil && p != whole {
			t.Errorf("cut to %d bytes: the proof is %+v, want %+v or an error", size, p, whole)
		}
	}
	t.Logf("%d of %d changes were found, the others changed nothing", found, rounds)
}

func TestFileRefuses(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, bytes.Repeat([]byte("no ledger "), 10000), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	edit(t, foreign, func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("log")); return err })
	for _, tt := range []struct {
		path    string
		options ledger.Options
		want    error
	}{
		{filepath.Join(dir, "absent"), ledger.Options{ReadOnly: true}, ledger.ErrUnavailable},
		{filepath.Join(dir, "no", "folder"), ledger.Options{Budget: daily}, ledger.ErrUnavailable},
		{dir, ledger.Options{Budget: daily}, ledger.ErrUnavailable},
		{other, ledger.Options{Budget: daily}, ledger.ErrDamaged},
		{foreign, ledger.Options{Budget: daily}, ledger.ErrDamaged},
		{foreign, ledger.Options{ReadOnly: true}, ledger.ErrDamaged},
	} {
		if _, err := ledger.OpenFile(tt.path, tt.options); !errors.Is(err, tt.want) {
			t.Errorf("OpenFile(%s): %v, want %v", filepath.Base(tt.path), err, tt.want)
		}
	}
	if _, err := ledger.OpenFile(filepath.Join(dir, "new"), ledger.Options{}); err == nil {
		t.Error("a new ledger was opened without a budget")
	}
	path, _ := written(t)
	l, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, o := range []ledger.Options{{ReadOnly: true}, {Budget: daily}} {
		if _, err := ledger.OpenFile(path, o); !errors.Is(err, ledger.ErrLocked) || !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("a ledger that is open: %v, want %v", err, ledger.ErrLocked)
		}
	}
}
