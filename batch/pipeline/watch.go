package pipeline

import (
	"sync"
	"sync/atomic"
)

// Progress is how far a job is, as far as the process that runs it knows: workers on
// other machines tell it nothing.
type Progress struct {
	Chunks   int   // that there are
	Steps    int   // that each takes: to be looked at, where ids or users are checked, and to be released
	Done     int   // steps of all chunks
	Read     int64 // rows, each once
	Released int64 // rows
	Parts    int   // that are written
}

// watch adds up what the workers of this process have done.
type watch struct {
	mu   sync.Mutex
	now  Progress
	tell func(Progress)
}

// watched is who looks at the job that this process runs; nil for nobody.
var watched atomic.Pointer[watch]

// begin lets somebody look at a job of so many chunks.
func (j *Job) begin(chunks int) {
	watched.Store(nil)
	if j.Watch == nil {
		return
	}
	steps := 2
	if j.ID == "" && j.User == "" {
		steps = 1
	}
	watched.Store(&watch{now: Progress{Chunks: chunks, Steps: steps}, tell: j.Watch})
}

// done notes what became of a task.
func (w *watch) done(t task, m made) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.Done++
	switch {
	case !t.Release:
		w.now.Read += m.Scanned.Rows
	case w.now.Steps == 1:
		w.now.Read += m.Part.Read
	}
	if t.Release {
		w.now.Released, w.now.Parts = w.now.Released+m.Part.Rows, w.now.Parts+1
	}
	w.tell(w.now)
}
