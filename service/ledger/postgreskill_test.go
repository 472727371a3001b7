package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/service/ledger"
	"sotto/service/ledger/disk"
	"sotto/service/ledger/disk/disktest"
	"sotto/service/pgtest"
)

// TestCrashPostgres ends the process of the server at each statement of a ledger in a
// database, before it is run and when it was run and nobody was told, while several clients
// spend, by themselves and for jobs: undivided, in parts, and in parts whose heads are in
// files on a disk that forgets. Whatever was answered is paid for once and covered by a
// head that is on disk, and whoever asks again is answered.
func TestCrashPostgres(t *testing.T) {
	t.Parallel()
	s := pgtest.Alone(t)
	books := []*killing{{name: "undivided"}, {name: "parts with heads on a disk", parts: 2, apart: true}}
	long := os.Getenv("SOTTO_CRASHES") != ""
	if long {
		books = append(books, &killing{name: "parts", parts: 2})
	}
	for _, k := range books {
		k.begin(t, s)
		said := []string{"begin", "FOR UPDATE", "INSERT INTO sotto_ledger_log", "INSERT INTO sotto_ledger_sums", "UPDATE sotto_ledger_head", "commit"}
		if !k.apart {
			said = append(said, "INSERT INTO sotto_witness.heads")
		}
		for _, fate := range []pgtest.Fate{pgtest.KillIt, pgtest.KillDone} {
			k.each(t, fate)
			for _, of := range said { // which come in another order each time
				if !k.one(t, fate, of, 1, false) && len(k.faults) == 0 {
					t.Errorf("%s: nobody said %q: nothing was tested", k.name, of)
				}
			}
		}
		// A server that goes down with one of its processes forgets what was not synced. It
		// takes seconds to come back.
		k.tap.Hard = true
		if k.one(t, pgtest.KillDone, "commit", 1, false); long {
			k.each(t, pgtest.KillDone)
		}
		for _, f := range k.faults {
			t.Errorf("%s: %s", k.name, f)
		}
		if proof := verifyParts(t, k.book); proof.MAC != ledger.MACChecked {
			t.Errorf("%s: in the end it proves %+v", k.name, proof)
		}
		t.Logf("%s: a process ended %d times, and the server with it %d times; %d answers", k.name, k.kills, k.hard, len(k.answered))
	}
}

// TestCrashPostgresFinds plants faults, as the database sees them, and sees them found.
func TestCrashPostgresFinds(t *testing.T) {
	t.Parallel()
	s := pgtest.Alone(t)
	for _, statement := range []string{"commit", "INSERT INTO sotto_witness.heads"} {
		k := &killing{name: statement}
		k.begin(t, s)
		k.tap.Judge(func(said string) pgtest.Fate {
			if strings.HasPrefix(said, statement) {
				return pgtest.Lie
			}
			return pgtest.Run
		})
		k.round(t)
		k.tap.Judge(nil)
		k.check(t)
		if len(k.faults) == 0 {
			t.Errorf("%q is called done and is not: not found", statement)
		} else {
			t.Logf("%q: %s", statement, k.faults[0])
		}
	}
}

// patience is for how long a server is waited for that went down; no bound that is claimed.
const patience = time.Minute

// killing is a ledger whose server's processes end.
type killing struct {
	name  string
	parts int
	apart bool // heads are in files

	tap    *pgtest.Tap
	direct string // the ledger's address without the tap
	schema string
	disk   *disktest.Disk
	book   *ledger.Divided
	n      int // of names that were asked for

	kills int
	hard  int // of them with the whole server

	mu       sync.Mutex // guards what follows
	answered []answer
	faults   []string
}

func (k *killing) options() ledger.Options {
	o := ledger.Options{Budget: ledger.Budget{Unit: daily.Unit, Epsilon: 1e6}, SecretID: "first", ChainKey: chainKey(1), Timeout: 5 * time.Second}
	if k.apart {
		o.Head, o.Disk = "/heads/head", disk.Disk(k.disk)
	}
	return o
}

// begin makes the ledger.
func (k *killing) begin(t *testing.T, s *pgtest.Server) {
	t.Helper()
	k.schema = s.Schema(t)
	k.tap, k.direct, k.disk = s.Tap(t), s.URL(k.schema), disktest.New(disktest.Source(1))
	if k.parts > 0 {
		l, err := ledger.BeginParts(t.Context(), k.direct, k.parts, k.options())
		if err = errors.Join(err, l.Close()); err != nil {
			t.Fatal(err)
		}
	}
	k.open(t)
	t.Cleanup(func() { k.book.Close() })
}

// open opens the ledger through the tap, again and again until that works: whatever ends
// while it is opened must leave one that can be.
func (k *killing) open(t *testing.T) {
	t.Helper()
	var err error
	for began := time.Now(); time.Since(began) < patience; time.Sleep(10 * time.Millisecond) {
		if k.book, err = ledger.OpenAny(t.Context(), k.tap.URL(k.schema), k.options()); err == nil {
			return
		}
		if !errors.Is(err, ledger.ErrUnavailable) || errors.Is(err, ledger.ErrDamaged) {
			break
		}
	}
	t.Fatalf("%s: it cannot be opened: %v", k.name, err)
}

// each lets the first statement of a round end its process, then the second of another,
// and so on, until a round has fewer; and of the ledger's opening as well.
func (k *killing) each(t *testing.T, fate pgtest.Fate) {
	t.Helper()
	for _, opening := range []bool{false, true} {
		stride := 1
		if (opening || k.parts > 0) && os.Getenv("SOTTO_CRASHES") == "" {
			stride = 3
		}
		for n, more := 1, true; more && len(k.faults) == 0; n += stride {
			more = k.one(t, fate, "", n, opening)
		}
	}
}

// one lets a statement of a round end its process, of those with some words the one with a
// number, and reports whether there was one.
func (k *killing) one(t *testing.T, fate pgtest.Fate, of string, n int, opening bool) bool {
	t.Helper()
	ended := false
	k.tap.Judge(func(statement string) pgtest.Fate {
		if ended || !strings.Contains(statement, of) {
			return pgtest.Run
		}
		if n--; n > 0 {
			return pgtest.Run
		}
		ended = true
		return fate
	})
	if opening {
		k.book.Close() // its last statement may be the one
		k.open(t)
	} else {
		k.round(t)
	}
	k.tap.Judge(nil)
	k.tap.Settle()
	if !ended {
		return false
	}
	if k.kills++; k.tap.Hard {
		k.hard++
	}
	k.check(t)
	return true
}

// round lets clients ask at the same time, who ask again when nothing ends any more.
func (k *killing) round(t *testing.T) {
	t.Helper()
	k.n++
	var asks []ask
	for c := range 3 { // of which two ask for the same
		text := fmt.Sprint("text ", k.n, " ", c/2)
		asks = append(asks, ask{text: text, spend: request(fmt.Sprint("user ", c/2), text, 1)})
	}
	name := fmt.Sprint(k.n)
	mark := shard("job", "settings", 1, nil)
	mark.Whole = key("settings")
	asks = append(asks, ask{text: "shard " + name, all: k.n%2 == 0, shards: []ledger.Shard{mark, shard("job", name, 1, demand{"user 0": 2, "user 1": 1, "user 2": 3})}})
	var group sync.WaitGroup
	for _, a := range asks {
		group.Go(func() { k.ask(t.Context(), a) })
	}
	group.Wait()
}

// ask asks, and again where it is not known what became of it.
func (k *killing) ask(ctx context.Context, a ask) {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		paid, _, err := a.of(ctx, k.book)
		k.mu.Lock()
		switch {
		case err == nil:
			k.answered = append(k.answered, answer{a, paid})
			k.mu.Unlock()
			return
		case !errors.Is(err, ledger.ErrUnavailable) || errors.Is(err, ledger.ErrDamaged) || time.Since(began) > patience:
			k.faults = append(k.faults, fmt.Sprintf("%q: %v", a.text, err))
			k.mu.Unlock()
			return
		}
		k.mu.Unlock()
	}
}

// check looks at the ledger as another process does: what was answered is paid for once, and
// the heads are no older than that.
func (k *killing) check(t *testing.T) {
	t.Helper()
	heads := k.disk.Copy()
	heads.PowerCut()
	o := k.options()
	o.ReadOnly, o.Disk = true, heads
	l, err := ledger.OpenAny(t.Context(), k.direct, o)
	if err != nil {
		k.faults = append(k.faults, fmt.Sprintf("it cannot be opened: %v", err))
		return
	}
	defer l.Close()
	paid, last := map[payment]int{}, make([]uint64, len(l.Parts()))
	for i, p := range l.Parts() {
		if err = p.Entries(t.Context(), 1, func(e *ledger.Entry) error {
			if e.Kind == ledger.KindSpend {
				paid[payment{e.Subject, e.Key}]++
				last[i] = e.Seq
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range k.answered {
		a.each(func(names []payment) {
			for i, n := range names {
				want := 1
				if i == 0 && strings.HasPrefix(n.subject, "job ") && len(names) > 1 {
					want = k.marksOf(names[1:])
				}
				if paid[n] != want {
					k.faults = append(k.faults, fmt.Sprintf("%q was answered, and is paid for %d times by %s, want %d", a.text, paid[n], n.subject, want))
				}
			}
		})
	}
	k.covered(t, heads, last)
	if k.kills%8 != 0 && len(k.faults) == 0 {
		return
	}
	if _, err = l.Verify(t.Context()); err != nil {
		k.faults = append(k.faults, fmt.Sprintf("it does not verify: %v", err))
	}
}

// marksOf is in how many parts a shard has its mark, which is one for each that has any of
// those who pay.
func (k *killing) marksOf(names []payment) int {
	in := map[int]bool{}
	for _, n := range names {
		in[ledger.PartOf(n.subject, max(k.parts, 1))] = true
	}
	return len(in)
}

// covered holds the heads, as they are after a loss of power, against the ledger. Everything
// in it was answered by now: whoever was not told has asked again.
func (k *killing) covered(t *testing.T, heads disk.Disk, last []uint64) {
	t.Helper()
	for i, want := range last {
		schema, place := k.schema, k.direct
		if k.parts > 0 {
			schema = fmt.Sprintf("%s_part%d_of_%d", k.schema, i, k.parts)
		}
		if k.apart {
			place = ledger.PartHead("/heads/head", i, k.parts)
		}
		w, err := ledger.OpenHead(place, "postgres."+schema, heads)
		if err != nil {
			t.Fatal(err)
		}
		h, err := w.Head(t.Context())
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		if h == nil || h.Seq < want {
			k.faults = append(k.faults, fmt.Sprintf("the head of part %d is %+v, and entry %d was answered", i, h, want))
		}
	}
}
