package integration_test

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// tab is a page in a browser without a window, and what it complained about.
type tab struct {
	*testing.T
	ctx context.Context
	mu  sync.Mutex
	bad []string
}

// open opens an address and waits for an element of the page. It skips where
// there is no browser.
func open(t *testing.T, address, element string) *tab {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium or google-chrome is installed to open the page with")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("lang", "en-GB"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which a privileged user's cannot have
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx}
	home, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	go b.listen(chromedp.Console(ctx))
	go b.follow(chromedp.Events(ctx, network.RequestWillBeSent), home.Host)
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(address), chromedp.WaitVisible(element))
	return b
}

// listen keeps what the browser's console says.
func (b *tab) listen(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.Source != "network" { // that a request was refused is part of the tests
			b.complain(m.String())
		}
	}
}

// follow keeps requests that leave the page's own host.
func (b *tab) follow(requests iter.Seq2[network.EventRequestWillBeSent, error], home string) {
	for r, err := range requests {
		if err != nil {
			return
		}
		if u, err := url.Parse(r.Request.URL); err != nil || u.Scheme != "data" && u.Host != home {
			b.complain("asked elsewhere: " + r.Request.URL)
		}
	}
}

func (b *tab) complain(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, line)
}

// clean checks that the page complained about nothing and asked nobody else.
func (b *tab) clean() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, line := range b.bad {
		b.Errorf("the browser says: %s", line)
	}
}

// do acts on the page.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// eval returns what an expression is worth in the page.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits for an expression to become true. It asks again and again, since
// the page's policy forbids what would wait within it.
func (b *tab) until(expression string) {
	b.Helper()
	b.within(time.Minute, expression)
}

// within waits as until does, for longer work.
func (b *tab) within(patience time.Duration, expression string) {
	b.Helper()
	for began := time.Now(); !eval[bool](b, expression); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > patience {
			b.Fatalf("%s does not come true; the page says %q", expression, eval[string](b, "document.body.innerText"))
		}
	}
}

// looks are the ways in which pages are looked at.
var looks = []struct {
	width, height int64
	dark          bool
}{{1280, 900, false}, {1280, 900, true}, {390, 844, false}, {390, 844, true}, {360, 740, false}}

// fits checks at every width that nothing is cut off, and keeps a picture of
// each where SOTTO_SHOTS names a folder.
func (b *tab) fits(name string) {
	b.Helper()
	for _, l := range looks {
		scheme := "light"
		if l.dark {
			scheme = "dark"
		}
		b.do(chromedp.EmulateViewport(l.width, l.height))
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}); err != nil {
			b.Fatal(err)
		}
		if got := eval[int64](b, "document.documentElement.scrollWidth"); got > l.width {
			b.Errorf("%s is %d wide in a window of %d, must not need scrolling sideways", name, got, l.width)
		}
		dir := os.Getenv("SOTTO_SHOTS")
		if dir == "" {
			continue
		}
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, l.width, scheme)), picture, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
