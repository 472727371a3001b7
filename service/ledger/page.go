package ledger

import (
	"crypto/sha256"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"slices"
)

// page is a transaction on a file. What it changes is entered in the file's
// books when it is on disk.
type page struct {
	f     *fileStore
	chain Chain // with what was appended
	mine  map[Kind]*Entry
	fresh []Record
	known map[payment]*settled // that it was asked for, or has paid; nil where nothing was
	base  map[int64]map[string]Sums
	after map[account]Sums
}

func newPage(f *fileStore) *page {
	return &page{f: f, chain: f.chain, mine: map[Kind]*Entry{}, known: map[payment]*settled{}, base: map[int64]map[string]Sums{}, after: map[account]Sums{}}
}

func (p *page) Head() (Head, error) { return p.chain.Head, nil }

func (p *page) Latest(k Kind) (*Entry, error) {
	if e := p.mine[k]; e != nil {
		return e, nil
	}
	p.f.mu.RLock()
	defer p.f.mu.RUnlock()
	return p.f.of[k], nil
}

func (p *page) Append(e *Entry) error {
	r, err := e.Record()
	if err != nil {
		return unavailable(err)
	}
	e.Prev = p.chain.Link(&r)
	e.Seq, e.Hash = p.chain.Seq, p.chain.Hash
	p.fresh = append(p.fresh, r)
	switch e.Kind {
	case KindSpend:
		p.known[payment{Subject: e.Subject, Key: e.Key}] = &settled{Seq: e.Seq, Check: e.Check, Means: r.Means}
	case KindBudget, KindSecret, KindArchive:
		p.mine[e.Kind] = e
	case KindGrant, KindPart: // the log and the sums say it all
	}
	return nil
}

func (p *page) Sign(m MAC) { p.chain.MAC = m }

// commit writes what was appended, and enters it in the books.
func (p *page) commit() error {
	if len(p.fresh) == 0 {
		return nil
	}
	f := p.f
	f.mu.Lock()
	state := f.coder.State()
	var body []byte
	at := make([]int, len(p.fresh))
	for i := range p.fresh {
		body, at[i] = f.coder.Append(body, &p.fresh[i])
	}
	f.mu.Unlock()
	written := false
	defer func() { // also after a panic: what follows must not build on what is not there
		if !written {
			f.mu.Lock()
			f.coder.Back(state)
			f.mu.Unlock()
		}
	}()
	offset, err := f.log.Append(logFrame, uint32(len(p.fresh)), body, LogSeal{Head: p.chain.Hash, MAC: p.chain.MAC})
	if err != nil {
		return medium(fileError(err))
	}
	written = true
	f.mu.Lock()
	defer f.mu.Unlock()
	seq := f.chain.Seq
	for i, r := range p.fresh {
		if seq++; r.Means != nil {
			f.paid.add(payment{Subject: r.Subject, Key: r.Key}.Name(), place{offset + int64(at[i]), seq})
			f.enterLife(&f.coder, r.Subject, Cost{Epsilon: r.Means.Epsilon, Delta: r.Means.Delta})
		}
	}
	f.chain = p.chain
	maps.Copy(f.of, p.mine)
	for a, s := range p.after {
		if a.Window != f.window || f.newest == math.MinInt64 { // nothing has counted: 0 is a window, too
			f.window, f.sums, f.newest = a.Window, p.base[a.Window], max(f.newest, a.Window)
		}
		f.sums[a.Subject] = s
	}
	return nil
}

func (p *page) Paid(name payment) (*settled, error) {
	if s, ok := p.known[name]; ok {
		return s, nil
	}
	p.f.mu.RLock()
	first, more, ok := p.f.paid.find(name.Name())
	p.f.mu.RUnlock()
	if !ok {
		p.known[name] = nil
		return nil, nil
	}
	for _, at := range slices.Concat([]place{first}, more) {
		s, err := p.f.readPaid(name, at)
		if err != nil {
			return nil, err
		}
		if s != nil {
			p.known[name] = s
			return s, nil
		}
	}
	return nil, nil
}

// readPaid reads the spend at a place, nil if it is another's.
func (f *fileStore) readPaid(name payment, at place) (*settled, error) {
	var buffer [maxSpend]byte
	n, err := f.log.ReadAt(buffer[:], at.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, unavailable(err)
	}
	if stub, ok, failed := isPaid(buffer[:n]); failed == nil && ok {
		if stub.Name != name.Name() {
			return nil, nil
		}
		return &settled{Seq: at.seq, Seal: stub.Seal}, nil
	}
	var r Record
	if err = f.coder.Paid(buffer[:n], &r); err != nil {
		return nil, damaged("entry %d is not what was written", at.seq)
	}
	if name != (payment{Subject: r.Subject, Key: r.Key}) {
		return nil, nil
	}
	return &settled{Seq: at.seq, Check: r.Check, Means: r.Means}, nil
}

func (p *page) Fetch([]payment, []account) error { return nil } // it is at hand

func (p *page) Sums(a account) (Sums, error) {
	if s, ok := p.after[a]; ok {
		return s, nil
	}
	of, ok := p.base[a.Window]
	if !ok {
		var err error
		if of, err = p.f.at(a.Window); err != nil {
			return Sums{}, err
		}
		p.base[a.Window] = of
	}
	p.f.mu.RLock()
	defer p.f.mu.RUnlock()
	return of[a.Subject].Check()
}

func (p *page) SetSums(a account, s Sums) error {
	p.after[a] = s
	return nil
}

// Lifetime is asked for before anything of the page is Spent: a sheet goes on
// counting by itself.
func (p *page) Lifetime(subject string) (Cost, error) {
	p.f.mu.RLock()
	defer p.f.mu.RUnlock()
	if id := p.f.coder.Subject(subject); id != 0 && int(id) <= len(p.f.life) {
		total := p.f.life[id-1]
		if !total.Within(Cost{Epsilon: 2 * maxCost, Delta: 2 * maxCost}) {
			return Cost{}, damaged("the sums of a subject are out of bounds")
		}
		return total, nil
	}
	return Cost{}, nil
}

func (p *page) Balances(window int64, yield func(Standing) error) error {
	of, err := p.f.at(window)
	if err != nil {
		return err
	}
	p.f.mu.RLock()
	all := maps.Clone(of)
	p.f.mu.RUnlock()
	for subject, s := range all {
		total, err := p.Lifetime(subject)
		if err != nil {
			return err
		}
		if err := yield(Standing{Subject: subject, Sums: s, Lifetime: total}); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) Entries(from uint64, yield func(*Entry) error) error {
	return p.f.scan(from, nil, yield)
}

// HashOf implements [Page].
func (p *page) HashOf(seq uint64) (Digest, error) {
	switch {
	case seq == p.chain.Seq:
		return p.chain.Hash, nil
	case p.f.cut != nil && seq == p.f.cut.Seq:
		return p.f.cut.Hash, nil
	}
	return hashFrom(p, seq)
}

// Carried implements [Page].
func (p *page) Carried() (*carried, error) {
	if p.f.cut == nil {
		return nil, nil
	}
	c := &carried{Head: headOf(p.f.cut), Sums: map[account]Sums{}, Paid: map[name]struct{}{}}
	sum := sha256.New()
	err := p.f.scan(0, func(k kept) error {
		sum.Write(k.part)
		switch {
		case k.Sum != nil:
			c.Sums[account{Subject: k.Sum.Subject, Window: k.Sum.Window}] = sumsOf(k.Sum)
		case k.Paid != nil:
			c.Paid[k.Paid.Name] = struct{}{}
		case k.Cut != nil:
			return errEnough
		}
		return nil
	}, nil)
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	c.Digest = Digest(sum.Sum(nil))
	c.Budget, c.Secret, err = lastOf(p.f.cut)
	return c, err
}

// Compare has nothing to do: what the ledger counts with is made from the log.
func (p *page) Compare(map[account]Sums) error { return nil }

// CopyTo writes the ledger, as it is now, over an empty log at a path.
func (f *fileStore) CopyTo(path string) error {
	out, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return unavailable(err)
	}
	err = f.log.CopyTo(out, f.log.End())
	return medium(errors.Join(err, out.Sync(), out.Close()))
}
