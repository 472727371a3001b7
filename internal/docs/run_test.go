package docs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sotto/data/dataset"
	"sotto/promise/dp/dptest"
	"sotto/service/httpserve/servetest"
	"sotto/text/encode/catalogue"
)

// TestPages runs every command of every page in a folder of its own.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a hundred commands")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the commands of pages are for bash, which is absent")
	}
	program, err := servetest.Command(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err = os.Symlink(program, filepath.Join(bin, "sotto")); err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t) {
		content, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := parsePage(string(content))
		if err != nil {
			t.Errorf("%s: %v", page, err)
			continue
		}
		if len(blocks) == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			r := newReader(t, page, bin)
			for _, b := range blocks {
				t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) { r.block(t, b) })
			}
		})
	}
}

// reader is somebody who types what a page says.
type reader struct {
	page  string
	dir   string
	env   []string
	ports map[string]string // addresses of the page, and where we serve instead
	stops map[string]func() // what ends the server at an address of the page
}

func newReader(t *testing.T, page, bin string) *reader {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &reader{page: page, dir: dir, ports: map[string]string{}, stops: map[string]func(){}}
	t.Cleanup(func() {
		for _, stop := range r.stops {
			stop()
		}
	})
	// As many pages are read side by side as there are cores: a command that took more
	// than one would wait for those of other pages.
	r.env = append(os.Environ(), "GOMAXPROCS=1", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "REPOSITORY="+root, "NO_COLOR=1", "SOTTO_RESULTS="+filepath.Join(dir, "results"), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
	return r
}

// block runs a block, or skips it with the reason.
func (r *reader) block(t *testing.T, b block) {
	t.Helper()
	r.need(t, b)
	if name := b.value("as"); name != nil {
		if err := os.WriteFile(filepath.Join(r.dir, name[0]), []byte(b.body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range b.commands {
		where := fmt.Sprintf("%s:%d: $ %s", r.page, b.line, c.text)
		switch {
		case b.has("never"):
			t.Skip(b.reason)
		case b.has("parse"):
			r.parse(t, where, c.text)
			continue
		case serves.MatchString(c.text):
			r.serve(t, where, c.text)
			continue
		}
		want := 0
		if codes := b.value("exit"); codes != nil && i == len(b.commands)-1 {
			want, _ = strconv.Atoi(codes[0])
		}
		output, code := r.shell(t, c.text)
		if code != want {
			t.Fatalf("%s\nended with code %d, want %d:\n%s", where, code, want, output)
		}
		if err := compare(c.output, output); err != nil {
			t.Errorf("%s\n%v", where, err)
		}
		if c.object == "" {
			continue
		}
		if err := compareJSON(c.object, output); err != nil {
			t.Errorf("%s\n%v", where, err)
		}
	}
}

// need skips a block whose needs are not met.
func (r *reader) need(t *testing.T, b block) {
	t.Helper()
	if b.has("long") && !dptest.Long() {
		t.Skip("takes more than seconds: SOTTO_LONG=1 runs it")
	}
	if b.has("slow") && os.Getenv("SOTTO_DOCS") != "all" {
		t.Skip("takes minutes to an hour: SOTTO_DOCS=all runs it")
	}
	data := os.Getenv("SOTTO_DATA")
	for _, name := range b.value("data") {
		info, err := dataset.Find(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if data == "" || !info.Present {
			t.Skipf("data set %s is not in the folder that SOTTO_DATA names", name)
		}
	}
	for _, name := range b.value("file") {
		from := filepath.Join(data, name)
		if _, err := os.Stat(from); data == "" || err != nil {
			t.Skipf("%s is not in the folder that SOTTO_DATA names", name)
		}
		if err := os.Symlink(from, filepath.Join(r.dir, filepath.Base(name))); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
	}
	for _, name := range b.value("need") {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	for _, name := range b.value("encoder") {
		dir, err := catalogue.Dir()
		if err != nil {
			t.Skip(err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Skipf("encoder %s was not fetched", name)
		}
	}
}

// parse checks that a command and its flags are ours, which asking for help does.
func (r *reader) parse(t *testing.T, where, text string) {
	t.Helper()
	text, _, _ = strings.Cut(text, " #")
	// What writes into a pipe may find that nobody who gives help reads it.
	if output, code := r.shell(t, "set +o pipefail; "+text+" --help"); code != 0 {
		t.Errorf("%s\nis no command of ours:\n%s", where, output)
	}
}

// shell runs a command and returns what it printed, and its exit code.
func (r *reader) shell(t *testing.T, text string) (string, int) {
	t.Helper()
	for address, here := range r.ports {
		text = strings.ReplaceAll(text, address, here)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", text)
	c.Dir, c.Env = r.dir, r.env
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	err := c.Run()
	if c.ProcessState != nil {
		t.Logf("%.1f s of processor time: %s", (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), text)
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return output.String(), exit.ExitCode()
	case err != nil:
		t.Fatalf("$ %s: %v", text, err)
	}
	return output.String(), 0
}

var (
	// serves finds commands that run until they are stopped.
	serves = regexp.MustCompile(`^sotto (gateway|serve|studio)( -|\s*$|\s*#)`)
	// listens finds the address that such a command is told.
	listens = regexp.MustCompile(`--listen[ =](\S+)`)
	// usual are their own addresses.
	usual = map[string]string{"gateway": "127.0.0.1:8787", "serve": "127.0.0.1:8788", "studio": "127.0.0.1:8789"}
)

// serve starts a server at a free port until the page is read, or until the next
// server at the same address of the page is started.
func (r *reader) serve(t *testing.T, where, text string) {
	t.Helper()
	address := usual[serves.FindStringSubmatch(text)[1]]
	if m := listens.FindStringSubmatch(text); m != nil {
		address = m[1]
		text = listens.ReplaceAllString(text, "")
	}
	if stop := r.stops[address]; stop != nil {
		stop()
	}
	text, remark, _ := strings.Cut(text, " #")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	here := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("bash", "-c", "exec "+text+" --listen "+here)
	c.Dir, c.Env = r.dir, r.env
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	r.ports[address] = here
waiting:
	for {
		select {
		case err := <-ended:
			t.Fatalf("%s\nended: %v\n%s", where, err, said.String())
		case <-time.After(20 * time.Millisecond):
		}
		answer, err := http.Get("http://" + here + "/healthz")
		if err == nil {
			_ = answer.Body.Close()
			break waiting
		}
	}
	r.stops[address] = sync.OnceFunc(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
		<-ended
	})
	if strings.Contains(remark, "Ctrl-C") {
		r.stops[address]()
	}
}
