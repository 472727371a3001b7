package relation

import (
	"sync"
)

// room is how many drafts are kept. A network writes the same few hundred again and again.
const room = 4096

// drafts are rules that were written, made ready to be matched; nil for what is no rule. They
// hold nothing of a sentence but what a network wrote about it.
type drafts struct {
	mu    sync.Mutex
	ready map[string]*Draft
}

// matches reports whether what was written is a rule that matches an instance.
func (d *drafts) matches(written string, x Instance) bool {
	d.mu.Lock()
	draft, ok := d.ready[written]
	d.mu.Unlock()
	if !ok {
		draft, _ = NewDraft(written) // what cannot be read matches nothing
		d.mu.Lock()
		if d.ready == nil || len(d.ready) >= room {
			d.ready = map[string]*Draft{}
		}
		d.ready[written] = draft
		d.mu.Unlock()
	}
	return draft != nil && draft.Matches(x)
}
