package ledger

import (
	"slices"
	"sync"
)

// Tally is what the entries of a log say that everybody has spent and was granted. It
// is for stores that keep sums beside the log, which others can write: whatever such a
// store says of a sum, or that there is none, must be what the tally says. It is safe
// for concurrent use.
type Tally struct {
	mu      sync.Mutex // guards the rest
	seq     uint64     // of the last entry that was counted
	hash    Digest
	latest  map[Kind]*Entry // the last budget and secret
	life    map[string]Cost
	windows map[int64]*bookCounted // that were counted in last
	seen    map[int64]struct{}     // all windows that anything counts in
	turn    uint64                 // of the last use of a window
	wrong   error                  // that was found
}

// bookCounted are the sums of a window.
type bookCounted struct {
	of   map[string]counting
	turn uint64
}

type counting struct {
	Sums
	last uint64 // entry that changed them
}

const keptWindows = 3 // at hand; others are counted again

// NewTally returns one of an empty log.
func NewTally() *Tally {
	return &Tally{latest: map[Kind]*Entry{}, life: map[string]Cost{}, windows: map[int64]*bookCounted{}, seen: map[int64]struct{}{}}
}

// Follow counts what was appended to the log since, and refuses one that does not go
// on from what was counted.
func (t *Tally) Follow(p Page) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, err := p.Head()
	if err != nil {
		return err
	}
	return t.follow(p, last)
}

func (t *Tally) follow(p Page, last Head) error {
	if t.wrong != nil {
		return t.wrong
	}
	if last.Seq > t.seq {
		if err := p.Entries(t.seq+1, t.count); err != nil {
			return err
		}
	}
	if last.Seq != t.seq || last.Hash != t.hash {
		return damaged("the log ends with entry %d, and does not go on from entry %d that was counted", last.Seq, t.seq)
	}
	return nil
}

// count counts the entry that follows.
func (t *Tally) count(e *Entry) error {
	if e.Seq != t.seq+1 || e.Prev != t.hash {
		return damaged("entry %d does not follow what was counted up to entry %d", e.Seq, t.seq)
	}
	t.seq, t.hash = e.Seq, e.Hash
	if e.Kind == KindBudget || e.Kind == KindSecret {
		t.latest[e.Kind] = e
	}
	if e.Kind != KindGrant && e.Kind != KindSpend || e.Cost() == (Cost{}) {
		return nil
	}
	t.seen[e.Window] = struct{}{}
	w := t.windows[e.Window]
	if w == nil {
		w = &bookCounted{of: map[string]counting{}}
		t.keep(e.Window, w)
	}
	t.turn++
	w.turn = t.turn
	w.add(e)
	if e.Kind == KindSpend {
		t.life[e.Subject] = t.life[e.Subject].Plus(e.Cost())
	}
	return nil
}

func (w *bookCounted) add(e *Entry) {
	s := w.of[e.Subject]
	if s.last = e.Seq; e.Kind == KindGrant {
		s.Granted = s.Granted.Plus(e.Cost())
	} else {
		s.Spent = s.Spent.Plus(e.Cost())
	}
	w.of[e.Subject] = s
}

// keep has a window at hand, in place of the one that was used least of late.
func (t *Tally) keep(window int64, w *bookCounted) {
	if len(t.windows) >= keptWindows {
		oldest, turn := int64(0), ^uint64(0)
		for at, w := range t.windows {
			if w.turn < turn {
				oldest, turn = at, w.turn
			}
		}
		delete(t.windows, oldest)
	}
	t.turn++
	w.turn = t.turn
	t.windows[window] = w
}

// at returns what was counted in a window. One that is not at hand is counted again.
func (t *Tally) at(p Page, window int64) (*bookCounted, error) {
	if w := t.windows[window]; w != nil {
		return w, nil
	}
	w := &bookCounted{of: map[string]counting{}}
	if _, ok := t.seen[window]; !ok {
		return w, nil
	}
	if err := p.Entries(0, func(e *Entry) error {
		if (e.Kind == KindGrant || e.Kind == KindSpend) && e.Window == window && e.Seq <= t.seq {
			w.add(e)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	t.keep(window, w)
	return w, nil
}

// refuse remembers what is wrong: nothing is believed any more.
func (t *Tally) refuse(format string, a ...any) error {
	t.wrong = damaged(format, a...)
	return t.wrong
}

// Check holds the sums of a window of a store against what was counted, and what others
// wrote since: none is missing, and none is another. What was changed since the page was
// begun is left out.
func (t *Tally) Check(p Page, window int64) error {
	last, err := p.Head()
	if err != nil {
		return err
	}
	found := map[string]Standing{}
	if err = p.Balances(window, func(s Standing) error { found[s.Subject] = s; return nil }); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if last.Seq >= t.seq {
		if err = t.follow(p, last); err != nil {
			return err
		}
	} else if t.wrong != nil || t.windows[window] == nil { // it cannot be counted from this page
		return t.wrong
	}
	w, err := t.at(p, window)
	if err != nil {
		return err
	}
	for subject, s := range w.of {
		if got, ok := found[subject]; s.last <= last.Seq && (!ok || got.Sums != s.Sums) {
			return t.refuse("the sums of a subject are not those of entry %d and those before it", s.last)
		}
		delete(found, subject)
	}
	for _, s := range found {
		if s.Sums != (Sums{}) {
			return t.refuse("a subject has sums of which no entry says anything")
		}
	}
	return nil
}

// Page returns a page whose sums are proved by the tally, which has followed it.
func (t *Tally) Page(p Page) *proven { return &proven{Page: p, tally: t, set: map[account]Sums{}} }

// proven is a page whose sums are proved.
type proven struct {
	Page
	tally *Tally
	set   map[account]Sums // by whoever uses it
	fresh []*Entry
}

// Latest implements [Page]. Which entry is the last is counted, too: the store has it
// beside the log.
func (p *proven) Latest(k Kind) (*Entry, error) {
	got, err := p.Page.Latest(k)
	if err != nil || slices.ContainsFunc(p.fresh, func(e *Entry) bool { return e.Kind == k }) {
		return got, err
	}
	t := p.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	if want := t.latest[k]; (got == nil) != (want == nil) || got != nil && got.Seq != want.Seq {
		return nil, t.refuse("the last %s that the store names is not that of the entries up to %d", k, t.seq)
	}
	return t.latest[k], nil
}

// Append implements [Page].
func (p *proven) Append(e *Entry) error {
	err := p.Page.Append(e)
	if err == nil {
		p.fresh = append(p.fresh, e)
	}
	return err
}

// SetSums implements [Page].
func (p *proven) SetSums(a account, s Sums) error {
	p.set[a] = s
	return p.Page.SetSums(a, s)
}

// Sums implements [Page].
func (p *proven) Sums(a account) (Sums, error) {
	got, err := p.Page.Sums(a)
	if _, mine := p.set[a]; err != nil || mine {
		return got, err
	}
	t := p.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	w, err := t.at(p.Page, a.Window)
	if err != nil {
		return Sums{}, err
	}
	if s := w.of[a.Subject]; s.Sums != got {
		return Sums{}, t.refuse("the sums of a subject are not those of the entries up to %d", t.seq)
	}
	return got, nil
}

// Lifetime implements [Page].
func (p *proven) Lifetime(subject string) (Cost, error) {
	got, err := p.Page.Lifetime(subject)
	if err != nil {
		return got, err
	}
	t := p.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.life[subject] != got {
		return Cost{}, t.refuse("the sums of a subject in all windows are not those of the entries up to %d", t.seq)
	}
	return got, nil
}

// Keep counts what the page has appended, when it is on disk.
func (p *proven) Keep() {
	t := p.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range p.fresh {
		if t.count(e) != nil { // it is counted from the log
			return
		}
	}
}
