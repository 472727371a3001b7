package term

import (
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows a bar on a terminal and nothing elsewhere.
type Progress struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

// NewProgress returns a bar with a word before it.
func NewProgress(w io.Writer, what string) *Progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &Progress{}
	}
	return &Progress{bar: progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth())}
}

// Set tells how much is done; a total below 1 means it is not known.
func (p *Progress) Set(done, total int64) {
	if p.bar == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if total > 0 && p.bar.GetMax64() != total {
		p.bar.ChangeMax64(total)
	}
	p.bar.Set64(min(done, max(total, done))) //nolint:errcheck // a bar that cannot be drawn harms nothing
}

// Shown reports whether there is a bar.
func (p *Progress) Shown() bool { return p.bar != nil }

// Describe changes the words before the bar.
func (p *Progress) Describe(text string) {
	if p.bar == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bar.Describe(text)
}

// Finish removes the bar.
func (p *Progress) Finish() {
	if p.bar != nil {
		p.bar.Finish() //nolint:errcheck // see set
	}
}
