package ledger_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"sotto/service/ledger"
)

// old1 puts a ledger that an older version wrote into a folder, and returns its
// path and the lines that version exported.
func old1(t *testing.T) (string, []byte) {
	t.Helper()
	packed, err := os.Open("testdata/format1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	in, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ledger.db")
	if err = os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile("testdata/format1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return path, lines
}

func exported(t *testing.T, l *ledger.Ledger) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := l.Entries(t.Context(), 1, func(e *ledger.Entry) error {
		line, err := json.Marshal(e)
		out.Write(append(line, '\n'))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// old1Secret is the secret that the old ledger names, and old1Time when it ended.
var (
	old1Secret = ledger.Migration{SecretID: "second", ChainKey: chainKey(2)}
	old1Time   = time.Date(2026, 3, 4, 0, 0, 2, 0, time.UTC)
)

// carried checks that a ledger goes on where the old one ended: every line,
// balance, lifetime and key is there.
func carried(t *testing.T, open opener, lines []byte) {
	t.Helper()
	c := newClock()
	c.set(old1Time)
	reader := mustOpen(t, open, ledger.Options{ReadOnly: true, SecretID: "second", ChainKey: chainKey(2), Clock: c.now})
	if got := exported(t, reader); !bytes.Equal(got, lines) {
		t.Errorf("the new ledger is exported in other lines than the old one")
	}
	last := bytes.Split(bytes.TrimSpace(lines), []byte("\n"))
	head, err := ledger.ParseEntry(last[len(last)-1])
	if err != nil {
		t.Fatal(err)
	}
	if p, failed := reader.Verify(t.Context(), head.Hash); failed != nil || p.MAC != ledger.MACChecked || p.Entries != 52 || p.Spends != 47 {
		t.Errorf("Verify with the old head: %+v, %v", p, failed)
	}
	reader.Close()
	l := mustOpen(t, open, ledger.Options{SecretID: "second", ChainKey: chainKey(2), Clock: c.now})
	for subject, want := range map[string][2]float64{"alice": {6, 24}, "dave": {5, 5}, "bob": {0, 2.5}} {
		b, failed := l.Balance(t.Context(), subject)
		if failed != nil || b.Spent.EpsilonValue() != want[0] || b.Lifetime.EpsilonValue() != want[1] {
			t.Errorf("%s has spent %v of a lifetime %v, %v; want %v", subject, b.Spent, b.Lifetime, failed, want)
		}
	}
	if r, failed := l.Spend(t.Context(), request("alice", "a", 1), request("bob", "b", 2.5), request("alice", "C", 0.3)); failed != nil || !r[0].Repeated || !r[1].Repeated || !r[2].Repeated || r[0].Seq != 3 {
		t.Errorf("what was paid for in the old ledger: %+v, %v; want it free", r, failed)
	}
	other := request("alice", "a", 1)
	other.Check = key("something else")
	if _, failed := l.Spend(t.Context(), other); !errors.Is(failed, ledger.ErrConflict) {
		t.Errorf("a key of the old ledger for something else: %v, want %v", failed, ledger.ErrConflict)
	}
	if _, failed := l.Spend(t.Context(), request("alice", "new", 1)); failed != nil {
		t.Error(failed)
	}
	if p, failed := l.Verify(t.Context(), head.Hash); failed != nil || p.Entries != 53 {
		t.Errorf("Verify after a spend: %+v, %v", p, failed)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	path, lines := old1(t)
	for _, o := range []ledger.Options{{}, {ReadOnly: true}} {
		if _, err := ledger.OpenFile(path, o); !errors.Is(err, ledger.ErrFormat1) {
			t.Errorf("opening the old ledger: %v, want %v", err, ledger.ErrFormat1)
		}
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]ledger.Migration{
		"no secret":      {},
		"another secret": {SecretID: "first", ChainKey: chainKey(1)},
		"a target":       {Out: path, SecretID: "second", ChainKey: chainKey(2)},
	} {
		if _, err = ledger.Migrate(t.Context(), path, m); err == nil {
			t.Errorf("migrated with %s, want it refused", name)
		}
	}
	out := old1Secret
	out.Out = filepath.Join(t.TempDir(), "new.db")
	if _, err = ledger.Migrate(t.Context(), path, out); err != nil {
		t.Fatal(err)
	}
	carried(t, func(o ledger.Options) (*ledger.Ledger, error) { return ledger.OpenFile(out.Out, o) }, lines)
	if after, failed := os.ReadFile(path); failed != nil || !bytes.Equal(after, before) {
		t.Errorf("the old ledger was changed, %v", failed)
	}
	owned := os.Chown(path, 12345, 23456) == nil // as root alone
	if _, err = ledger.Migrate(t.Context(), path, old1Secret); err != nil {
		t.Fatal(err)
	}
	if info, failed := os.Stat(path); failed != nil || owned && !strings.Contains(fmt.Sprintf("%+v", info.Sys()), "Uid:12345") {
		t.Errorf("the new ledger does not belong to the owner of the old one, %v", failed)
	}
	if kept, failed := os.ReadFile(path + ".v1"); failed != nil || !bytes.Equal(kept, before) {
		t.Errorf("the old ledger is not beside the new one, %v", failed)
	}
	carried(t, func(o ledger.Options) (*ledger.Ledger, error) { return ledger.OpenFile(path, o) }, lines)
	if names, failed := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); failed != nil || len(names) != 3 { // with the head
		t.Errorf("beside the ledgers there are %v, %v", names, failed)
	}
	if _, err = ledger.Migrate(t.Context(), path, old1Secret); !errors.Is(err, ledger.ErrMigrated) {
		t.Errorf("a new ledger was migrated: %v, want %v", err, ledger.ErrMigrated)
	}
}

// A secret that is lost is no reason to lose the ledger: the next gateway takes
// another one.
func TestMigrateUnsigned(t *testing.T) {
	path, _ := old1(t)
	if p, err := ledger.Migrate(t.Context(), path, ledger.Migration{Unsigned: true}); err != nil || p.MAC != ledger.MACAbsent {
		t.Fatalf("%+v, %v; want no MAC", p, err)
	}
	c := newClock()
	c.set(old1Time)
	same := ledger.Options{SecretID: "second", ChainKey: chainKey(2), Clock: c.now}
	if _, err := ledger.OpenFile(path, same); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("with a key, without a MAC: %v, want %v", err, ledger.ErrDamaged)
	}
	l, err := ledger.OpenFile(path, ledger.Options{SecretID: "third", ChainKey: chainKey(3), Rotate: true, Clock: c.now})
	if err != nil {
		t.Fatal(err)
	}
	if p := verify(t, l); p.MAC != ledger.MACChecked {
		t.Errorf("after a new secret: %+v", p)
	}
	l.Close()
	// The entries of a day can be archived apart from those of the next.
	done, err := ledger.Archive(t.Context(), path, ledger.Archiving{
		Before: midnight(1), Out: path + ".archive", SecretID: "third", ChainKey: chainKey(3), Clock: c.now,
	})
	if err != nil || done.Through != 7 {
		t.Errorf("the first day: %+v, %v; want entries 1 to 7", done, err)
	}
}

// A ledger that is damaged is not made new.
func TestMigrateDamaged(t *testing.T) {
	type edit = func(tx *bbolt.Tx) error
	put := func(bucket string, change func(k, v []byte) ([]byte, []byte)) edit {
		return func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(bucket))
			k, v := b.Cursor().First()
			k, v = bytes.Clone(k), bytes.Clone(v)
			if err := b.Delete(k); err != nil {
				return err
			}
			if k, v = change(k, v); k == nil {
				return nil
			}
			return b.Put(k, v)
		}
	}
	gone := func([]byte, []byte) ([]byte, []byte) { return nil, nil }
	value := func(k, v []byte) ([]byte, []byte) { v[len(v)-1] ^= 1; return k, v }
	elsewhere := func(k, v []byte) ([]byte, []byte) { k[len(k)-1] ^= 0x40; return k, v }
	for _, bucket := range []string{"log", "keys", "sums"} {
		for name, how := range map[string]func(k, v []byte) ([]byte, []byte){"gone": gone, "changed": value, "elsewhere": elsewhere} {
			path, _ := old1(t)
			db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			if err = errors.Join(db.Update(put(bucket, how)), db.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err = ledger.Migrate(t.Context(), path, old1Secret); !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("the first of %s %s: %v, want %v", bucket, name, err, ledger.ErrDamaged)
			}
			if names, failed := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); failed != nil || len(names) != 1 {
				t.Errorf("after a refusal there are %v, %v", names, failed)
			}
		}
	}
}

// TestMigrateKilled: whenever a migration is killed, the old ledger or the new
// one is there, and another try ends it.
func TestMigrateKilled(t *testing.T) {
	t.Parallel()
	if path := os.Getenv("SOTTO_MIGRATE_CHILD"); path != "" {
		_, err := ledger.Migrate(context.Background(), path, old1Secret)
		if err != nil {
			panic(err)
		}
		return
	}
	path, lines := old1(t)
	for round := 0; ; round++ {
		child := exec.Command(os.Args[0], "-test.run", "^TestMigrateKilled$")
		child.Env = append(os.Environ(), "SOTTO_MIGRATE_CHILD="+path)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round) * 300 * time.Microsecond)
		child.Process.Kill() //nolint:errcheck // it may have ended
		child.Wait()         //nolint:errcheck // it was killed
		_, err := examine(t, path)
		if err == nil {
			t.Logf("done in round %d", round)
			break
		}
		if !errors.Is(err, ledger.ErrFormat1) || round > 5000 {
			t.Fatalf("round %d: %v, want the old ledger or the new one", round, err)
		}
	}
	carried(t, func(o ledger.Options) (*ledger.Ledger, error) { return ledger.OpenFile(path, o) }, lines)
}
