package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	weakrand "math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sotto/service/ledger"
	"sotto/service/ledger/disk"
	"sotto/service/ledger/disk/disktest"
)

// crashHistories is how many histories are drawn; SOTTO_CRASHES says another number,
// and SOTTO_CRASH_SEED the first of their seeds.
const crashHistories = 12

func crashSeeds(t *testing.T) (first, n uint64) {
	t.Helper()
	n = crashHistories
	if testing.Short() {
		n /= 4
	}
	for name, to := range map[string]*uint64{"SOTTO_CRASHES": &n, "SOTTO_CRASH_SEED": &first} {
		if text := os.Getenv(name); text != "" {
			var err error
			if *to, err = strconv.ParseUint(text, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return first, n
}

// TestCrash draws histories of several clients who spend from a ledger, by themselves and
// for jobs, on a disk that forgets what was not synced, and sometimes fails or is full. At
// each operation of the disk, before and after its effect, the process is killed or the machine loses
// its power, and sometimes a bit flips or the end is cut off. Each time the ledger is
// opened again: what was answered is spent, nothing is spent twice, a ledger that was
// torn is opened, and one that was damaged is refused, or what was damaged was never
// answered.
func TestCrash(t *testing.T) {
	t.Parallel()
	first, n := crashSeeds(t)
	var stops, refused int
	for seed := first; seed < first+n; seed++ {
		h := crash(t, seed, nil)
		stops, refused = stops+h.stops, refused+h.refused
		for _, f := range h.faults {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
	// The race detector has clients come in another order each time.
	if one, other := crash(t, first, nil), crash(t, first, nil); !raced && !reflect.DeepEqual(one.answered, other.answered) || one.stops != other.stops || one.refused != other.refused {
		t.Errorf("seed %d draws two histories, want the same one each time", first)
	}
	t.Logf("%d histories, stopped and opened again %d times, of which %d were damaged and refused", n, stops, refused)
	if refused == 0 || refused*3 > stops {
		t.Errorf("%d of %d were refused: nothing was tested", refused, stops)
	}
}

// TestCrashFinds plants a fault each in how the disk is used, and sees it found.
func TestCrashFinds(t *testing.T) {
	t.Parallel()
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			const enough = 60
			for seed := range uint64(enough) {
				if h := crash(t, seed, p.plant); len(h.faults) > 0 {
					t.Logf("found by seed %d: %s", seed, h.faults[0])
					return
				}
			}
			t.Errorf("not found in %d histories", enough)
		})
	}
}

// plants are faults that a ledger might have, as they look to the disk.
var plants = []struct {
	name  string
	plant func(disk.Disk) disk.Disk
}{
	{"the mark one write late", func(d disk.Disk) disk.Disk {
		return &planted{Disk: d, late: func(name string, at int64) bool { return !isHead(name) && at < firstFrame }}
	}},
	{"the head after the answer", func(d disk.Disk) disk.Disk {
		return &planted{Disk: d, late: func(name string, _ int64) bool { return isHead(name) }}
	}},
	{"no sync of the folder", func(d disk.Disk) disk.Disk { return &planted{Disk: d, noFolder: true} }},
	{"no sync of the log", func(d disk.Disk) disk.Disk {
		return &planted{Disk: d, noSync: func(name string) bool { return !isHead(name) }}
	}},
	{"no sync of the head", func(d disk.Disk) disk.Disk { return &planted{Disk: d, noSync: isHead} }},
}

func isHead(name string) bool {
	return strings.Contains(name, ".head") || strings.Contains(name, ".sotto-")
}

// planted is a disk that is not used as it should be.
type planted struct {
	disk.Disk
	noFolder bool
	noSync   func(name string) bool
	late     func(name string, at int64) bool
	held     map[string]held
}

func (p *planted) SyncDir(dir string) error {
	if p.noFolder {
		return nil
	}
	return p.Disk.SyncDir(dir)
}

func (p *planted) OpenFile(name string, flag int, mode os.FileMode) (disk.File, error) {
	f, err := p.Disk.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return &plantedFile{File: f, p: p}, nil
}

type plantedFile struct {
	disk.File
	p *planted
}

// held is a write that is late: it comes with the next, if the process lives on.
type held struct {
	content []byte
	at      int64
}

func (f *plantedFile) Sync() error {
	if f.p.noSync != nil && f.p.noSync(f.Name()) {
		return nil
	}
	return f.File.Sync()
}

func (f *plantedFile) WriteAt(b []byte, at int64) (int, error) {
	if f.p.late == nil || !f.p.late(f.Name(), at) {
		return f.File.WriteAt(b, at)
	}
	before, ok := f.p.held[f.Name()]
	if f.p.held == nil {
		f.p.held = map[string]held{}
	}
	f.p.held[f.Name()] = held{slices.Clone(b), at}
	if ok {
		if _, err := f.File.WriteAt(before.content, before.at); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (f *plantedFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(b, at)
	if h, ok := f.p.held[f.Name()]; ok && h.at >= at && h.at < at+int64(len(b)) {
		if k := copy(b[h.at-at:], h.content) + int(h.at-at); k > n {
			n = k
		}
		if n == len(b) {
			err = nil
		}
	}
	return n, err
}

// past is what clients did, and what was found wrong.
type past struct {
	seed   uint64
	draw   *weakrand.Rand
	plant  func(disk.Disk) disk.Disk
	head   string
	budget ledger.Budget
	faults []string

	asked    map[string]ask // by text
	answered []answer       // in order
	stops    int
	refused  int
}

// state is a disk at a moment, and how many were answered by then.
type state struct {
	disk     *disktest.Disk
	answered int
	op       disktest.Op
}

const crashPath = "/ledger/ledger.db"

// crash draws a history of some lives of a process, each of which ends in some way.
func crash(t *testing.T, seed uint64, plant func(disk.Disk) disk.Disk) *past {
	h := &past{seed: seed, draw: disktest.Source(seed), plant: plant, asked: map[string]ask{}, budget: daily}
	if h.draw.IntN(3) == 0 {
		h.head = ledger.NoHead
	}
	if h.draw.IntN(3) == 0 {
		h.budget.Window = 0
	}
	synctest.Test(t, func(t *testing.T) {
		d := disktest.New(h.draw)
		for range 1 + h.draw.IntN(3) {
			states := h.live(t.Context(), d)
			for _, s := range states {
				h.stop(t.Context(), s)
				if len(h.faults) > 0 && plant != nil {
					return
				}
			}
			if len(states) == 0 || len(h.faults) > 0 {
				return
			}
			last := states[h.draw.IntN(len(states))]
			d = last.disk.Copy()
			d.Room(1 << 40)
			h.answered = h.answered[:last.answered]
			if h.draw.IntN(2) == 0 {
				d.PowerCut()
			}
		}
	})
	return h
}

func (h *past) fault(format string, a ...any) { h.faults = append(h.faults, fmt.Sprintf(format, a...)) }

func (h *past) options(on disk.Disk) ledger.Options {
	return ledger.Options{Budget: h.budget, SecretID: "first", ChainKey: chainKey(1), Head: h.head, Disk: on, Clock: time.Now}
}

// live lets clients spend, and returns all states that the disk was in.
func (h *past) live(ctx context.Context, d *disktest.Disk) (states []state) {
	var on disk.Disk = d
	if h.plant != nil {
		on = h.plant(d)
	}
	c := &clients{past: h, ctx: ctx}
	d.Watch = func(op disktest.Op) {
		c.arrive()
		states = append(states, state{d.Copy(), c.answered(), op})
	}
	failing := 0
	d.Fail = func(disktest.Op) bool { failing--; return failing == 0 }
	var err error
	if c.ledger, err = ledger.OpenAny(ctx, crashPath, h.options(on)); err != nil {
		h.fault("a life does not begin: %v", err)
		return nil
	}
	for range 2 + h.draw.IntN(4) {
		switch h.draw.IntN(8) {
		case 0:
			failing = 1 + h.draw.IntN(4)
		case 1:
			d.Room(d.Used() + int64(h.draw.IntN(300)))
		case 2:
			// The head is noted anew, on a whole second, and nobody comes just then.
			time.Sleep(time.Duration(1+h.draw.IntN(70))*time.Second + 137*time.Millisecond)
		}
		c.round(1 + h.draw.IntN(4))
		failing = 0
		d.Room(1 << 40)
	}
	if h.draw.IntN(2) == 0 { // it ends as it should
		c.ledger.Close()
		return append(states, state{d.Copy(), c.answered(), disktest.Op{Kind: "close"}})
	}
	d.Off()
	c.ledger.Close()
	return states
}

// clients are those of a life. Who comes while another is being written waits for the
// next write, together with others.
type clients struct {
	past   *past
	ctx    context.Context
	ledger *ledger.Divided
	asking sync.WaitGroup

	mu      sync.Mutex // guards the rest, and answers
	waiting []ask
}

// round lets so many come, and waits until all have gone.
func (c *clients) round(n int) {
	for range n {
		c.waiting = append(c.waiting, c.past.ask())
	}
	for c.come() {
		c.asking.Wait()
	}
}

// come lets one more come.
func (c *clients) come() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		return false
	}
	a := c.waiting[0]
	c.waiting = c.waiting[1:]
	c.asking.Go(func() {
		paid, _, err := a.of(c.ctx, c.ledger)
		if err != nil {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.past.answered = append(c.past.answered, answer{a, paid})
	})
	return true
}

// arrive lets all come who wait, one after the other, until nobody goes on by himself.
func (c *clients) arrive() {
	synctest.Wait()
	for c.come() {
		synctest.Wait()
	}
}

// answered returns how many were.
func (c *clients) answered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.past.answered)
}

// ask is what somebody asks for: a spend, or shards of a job, as sotto-batch pays for them.
type ask struct {
	text   string
	spend  ledger.Request
	shards []ledger.Shard // none for a spend
	all    bool           // everybody pays for the shards, or nobody
}

// answer is what somebody was told.
type answer struct {
	ask
	paid []ledger.Reserved
}

// payment is in whose name something is paid for, and under which key.
type payment struct {
	subject string
	key     ledger.Digest
}

// of asks a ledger, and says whether nothing was new in it.
func (a *ask) of(ctx context.Context, l *ledger.Divided) (paid []ledger.Reserved, repeated bool, err error) {
	if len(a.shards) == 0 {
		receipts, failed := l.Spend(ctx, a.spend)
		return nil, failed == nil && receipts[0].Repeated, failed
	}
	pay := l.Reserve
	if a.all {
		pay = l.ReserveAll
	}
	paid, err = pay(ctx, a.shards...)
	repeated = true
	for i := range paid {
		repeated = repeated && paid[i].Repeated
		paid[i].Repeated = true // as when it is asked for again
	}
	return paid, repeated, err
}

// each yields everything that it would pay for, in writes of which each is whole or not there.
func (a *ask) each(yield func(together []payment)) {
	if len(a.shards) == 0 {
		yield([]payment{{a.spend.Subject, a.spend.Key}})
	}
	for _, s := range a.shards {
		names := []payment{{"job " + s.Job, s.Key()}}
		for _, d := range s.Demands {
			names = append(names, payment{d.Subject, s.Key()})
		}
		yield(names)
	}
}

// ask draws what somebody asks for: something new, or again what was asked for.
func (h *past) ask() ask {
	var a ask
	if h.draw.IntN(4) == 0 {
		job, n := fmt.Sprint("job ", h.draw.IntN(2)), h.draw.IntN(4)
		a = ask{text: fmt.Sprint(job, " ", n), all: n%2 == 0}
		for _, about := range []string{"numerics", "settings"} { // marks of the job, by which another of its name is refused
			m := shard(job, about, 1, nil)
			m.Whole = key(job + about)
			a.shards = append(a.shards, m)
		}
		a.shards = append(a.shards, shard(job, fmt.Sprint(n), 1, demand{"alice": int64(1 + n%3), "bob": int64(1 + n%2), "carol": 1}))
	} else {
		subject := []string{"alice", "bob", "carol"}[h.draw.IntN(3)]
		a.text = fmt.Sprint(subject, " ", h.draw.IntN(12))
		a.spend = request(subject, a.text, float64(1+len(a.text)%2))
	}
	h.asked[a.text] = a
	return a
}

// stop opens the ledger again after the process was stopped in a state.
func (h *past) stop(ctx context.Context, s state) {
	h.stops++
	d := s.disk.Copy()
	d.Room(1 << 40)
	how := "killed"
	if h.draw.IntN(2) == 0 {
		d.PowerCut()
		how = "without power"
	}
	harm := ""
	if h.draw.IntN(3) == 0 {
		harm = h.harm(d)
		how += ", " + harm
	}
	err := h.reopen(ctx, d, h.answered[:s.answered])
	switch {
	case err == nil:
	case harm != "" && (errors.Is(err, ledger.ErrDamaged) || errors.Is(err, ledger.ErrUnavailable)):
		h.refused++
	default:
		h.fault("%s at %s of %s (done: %v), with %d answered: %v", how, s.op.Kind, s.op.Name, s.op.Done, s.answered, err)
	}
}

// harm damages something that was written last.
func (h *past) harm(d *disktest.Disk) string {
	if h.draw.IntN(4) == 0 && h.head == "" {
		at := 4096*(1+h.draw.IntN(2)) + h.draw.IntN(512)
		d.Edit(crashPath+".head", func(b []byte) []byte { return flipped(b, at, h.draw.IntN(8)) })
		return "a bit of the head flipped"
	}
	back := 1 + h.draw.IntN(600)
	if h.draw.IntN(3) == 0 {
		d.Edit(crashPath, func(b []byte) []byte { return b[:max(len(b)-back, 0)] })
		return fmt.Sprintf("%d bytes cut off", back)
	}
	d.Edit(crashPath, func(b []byte) []byte { return flipped(b, len(b)-back, h.draw.IntN(8)) })
	return fmt.Sprintf("a bit flipped %d bytes before the end", back)
}

func flipped(b []byte, at, bit int) []byte {
	if b = slices.Clone(b); at >= 0 && at < len(b) {
		b[at] ^= 1 << bit
	}
	return b
}

// reopen opens the ledger on a disk, and holds it against what was answered.
func (h *past) reopen(ctx context.Context, d *disktest.Disk, answered []answer) error {
	l, err := ledger.OpenAny(ctx, crashPath, h.options(d))
	if err != nil {
		return err
	}
	defer l.Close()
	if _, err = l.Verify(ctx); err != nil {
		return fmt.Errorf("it is open, and does not verify: %w", err)
	}
	paid, spent := map[payment]int{}, map[string]ledger.Cost{}
	if err = l.Parts()[0].Entries(ctx, 1, func(e *ledger.Entry) error {
		if e.Kind == ledger.KindSpend {
			paid[payment{e.Subject, e.Key}]++
			spent[e.Subject] = spent[e.Subject].Plus(e.Cost())
		}
		return nil
	}); err != nil {
		return err
	}
	if err = h.held(paid, answered); err != nil {
		return err
	}
	for _, subject := range slices.Sorted(maps.Keys(spent)) {
		if b, err := l.Balance(ctx, subject); err != nil || b.Spent != spent[subject] {
			return fmt.Errorf("%s has spent %v, and the entries say %v: %w", subject, b.Spent, spent[subject], err)
		}
	}
	return h.goOn(ctx, d, l, answered)
}

// held holds what is paid for against what was asked for and what was answered.
func (h *past) held(paid map[payment]int, answered []answer) (err error) {
	for _, a := range answered {
		i := 0
		a.each(func(names []payment) {
			for _, n := range names {
				want := 1
				if len(a.shards) > 0 && slices.Contains(a.paid[i].LeftOut, n.subject) {
					want = 0
				}
				if paid[n] != want {
					err = fmt.Errorf("%q was answered, and is paid for %d times by %s, want %d", a.text, paid[n], n.subject, want)
				}
			}
			i++
		})
	}
	mine := map[payment]bool{}
	for _, text := range slices.Sorted(maps.Keys(h.asked)) {
		a := h.asked[text]
		a.each(func(names []payment) {
			for _, n := range names {
				mine[n] = true
				if paid[n] > 1 || paid[names[0]] == 0 && paid[n] > 0 {
					err = fmt.Errorf("%s has paid %d times for %q, which is in the ledger %d times", n.subject, paid[n], text, paid[names[0]])
				}
			}
		})
	}
	for n := range paid {
		if !mine[n] {
			err = fmt.Errorf("a spend of %s is in it that nobody asked for", n.subject)
		}
	}
	return err
}

// goOn asks a ledger that was opened again, and cuts its power: what was answered before
// or is answered now is still paid for.
func (h *past) goOn(ctx context.Context, d *disktest.Disk, l *ledger.Divided, answered []answer) error {
	last := ask{text: "last", spend: request("dora", "last", 1)}
	if _, repeated, err := last.of(ctx, l); err != nil || repeated {
		return fmt.Errorf("a spend when it is open again: repeated %v, %w", repeated, err)
	}
	if len(answered) > 0 {
		if err := answered[h.draw.IntN(len(answered))].again(ctx, l); err != nil {
			return fmt.Errorf("when it is open again: %w", err)
		}
	}
	after := d.Copy()
	after.PowerCut()
	again, err := ledger.OpenAny(ctx, crashPath, h.options(after))
	if err != nil {
		return fmt.Errorf("without power after that: %w", err)
	}
	defer again.Close()
	for _, a := range append([]answer{{ask: last}}, answered...) {
		if err = a.again(ctx, again); err != nil {
			return fmt.Errorf("after a loss of power: %w", err)
		}
	}
	return nil
}

// again asks for what was answered: it is answered alike, and costs nothing.
func (a *answer) again(ctx context.Context, l *ledger.Divided) error {
	paid, repeated, err := a.of(ctx, l)
	if err != nil || !repeated || !reflect.DeepEqual(paid, a.paid) {
		return fmt.Errorf("%q was answered, and is paid for again: %+v, before %+v: %w", a.text, paid, a.paid, err)
	}
	return nil
}
