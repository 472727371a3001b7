package integration_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the command under test, and workplace a folder that goes with the tests.
var binary, workplace string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "sotto-integration-")
	if err == nil {
		binary, err = build(dir)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		workplace = dir
		flag.Parse()
		flag.Set("test.parallel", "6") //nolint:errcheck // which there is; tests wait for pages and processes
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// build makes the command of this checkout, unless SOTTO_BINARY names one.
func build(dir string) (string, error) {
	if path := os.Getenv("SOTTO_BINARY"); path != "" {
		return filepath.Abs(path)
	}
	path := filepath.Join(dir, "sotto")
	c := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "./cmd/sotto")
	c.Dir, c.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build of the command: %w\n%s", err, out)
	}
	return path, nil
}

// output is what a process has said so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// process is a command that answers on an address.
type process struct {
	base string
	said output // both streams
}

var address = regexp.MustCompile(`(?:gateway at |studio at |"address":")((?:https?://)?127\.0\.0\.1:[0-9]+)`)

// launch starts the command on a free port, and ends it with the test, when it
// must have drained in order.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	return launchWith(t, nil, args...)
}

// launchWith is launch with more in the environment.
func launchWith(t *testing.T, environment []string, args ...string) *process {
	t.Helper()
	p := new(process)
	c := exec.Command(binary, append(args, "--listen", "127.0.0.1:0")...)
	c.Env = append(os.Environ(), environment...)
	c.Stdout, c.Stderr = &p.said, &p.said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if err != nil && !t.Failed() {
				t.Errorf("%s ended with %v, want 0:\n%s", args[0], err, p.said.String())
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s did not end, and is killed: %v", args[0], c.Process.Kill())
		}
	})
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if m := address.FindStringSubmatch(p.said.String()); m != nil {
			p.base = "http://" + strings.TrimPrefix(m[1], "http://")
			return p
		}
		select {
		case err := <-ended:
			ended <- nil
			t.Fatalf("%s ended at once: %v\n%s", args[0], err, p.said.String())
		default:
		}
	}
	t.Fatalf("%s does not say where it listens:\n%s", args[0], p.said.String())
	return nil
}

// gateway starts a gateway with ledger and secret of its own, and a window that
// does not end during a test.
func gateway(t *testing.T, args ...string) *process {
	t.Helper()
	dir := t.TempDir()
	return launch(t, append([]string{"gateway", "--ledger", filepath.Join(dir, "ledger"), "--secret", filepath.Join(dir, "secret"), "--window", "8760h"}, args...)...)
}

// newKey makes an API key and the file that holds its entry.
func newKey(t *testing.T, args ...string) (key, file string) {
	t.Helper()
	c := exec.Command(binary, append([]string{"gateway", "key"}, args...)...)
	var shown bytes.Buffer
	c.Stderr = &shown
	entry, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, shown.String())
	}
	file = filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, entry, 0o600); err != nil {
		t.Fatal(err)
	}
	_, key, _ = strings.Cut(strings.TrimSpace(shown.String()), ": ")
	return key, file
}

// silent checks that a process has written none of the given texts.
func (p *process) silent(t *testing.T, texts ...string) {
	t.Helper()
	said := p.said.String()
	for _, s := range texts {
		if strings.Contains(said, s) {
			t.Errorf("the log holds %q, must hold no text, user or key", s)
		}
	}
}
