package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"sotto/batch/pipeline"
	"sotto/batch/shard"
	"sotto/data/vecfile"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// TestMain is also the process of a job that tests kill, which is in the environment, and
// those that make parts for others.
func TestMain(m *testing.M) {
	pipeline.Hand()
	if args := pipeline.WorkerArgs(os.Args[1:]); args != nil {
		flag.CommandLine.Parse(args) //nolint:errcheck // it ends the process
	}
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // an engine says much
	if text := os.Getenv("SOTTO_BATCH_JOB"); text != "" {
		var j pipeline.Job
		err := json.Unmarshal([]byte(text), &j)
		if binary := os.Getenv("SOTTO_BATCH_APART"); binary != "" { // Prism's worker is a process
			*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = "PROCESS", fmt.Sprintf(`{"command":%q}`, os.Args[0]), binary
		}
		if err == nil {
			_, err = pipeline.Run(context.Background(), &j, "prism")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	pgtest.End()
	os.Exit(code)
}

// start starts a job in a process of its own, whose end comes with what it said.
func start(t *testing.T, j *pipeline.Job) (p *os.Process, ended <-chan error) {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), "SOTTO_BATCH_JOB="+string(text))
	var said bytes.Buffer
	c.Stderr = &said
	if err = c.Start(); err != nil {
		t.Fatal(err)
	}
	end := make(chan error, 1)
	go func() {
		if failed := c.Wait(); failed != nil {
			end <- fmt.Errorf("%w: %s", failed, &said)
		}
		close(end)
	}()
	return c.Process, end
}

// killWhen starts a job in a process of its own and kills it without warning as soon as
// something is so. It reports whether it did: a job may be quicker.
func killWhen(t *testing.T, j *pipeline.Job, is func() bool) bool {
	t.Helper()
	p, ended := start(t, j)
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("a job that nobody killed: %v", err)
			}
			return false
		case <-time.After(time.Millisecond):
		}
		if is() {
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
			return <-ended != nil
		}
	}
}

// written returns whether a job has written more than so many parts.
func written(j *pipeline.Job, more int) func() bool {
	return func() bool {
		parts, _ := filepath.Glob(filepath.Join(j.Out, "part-*"))
		return len(parts) > more
	}
}

// job is one over the files of a folder.
func job(dir, out string) *pipeline.Job {
	return &pipeline.Job{Spec: shard.Spec{
		In: []string{filepath.Join(dir, "*.jsonl")}, Text: "text", ID: "id", Encoder: "hash:256", Secret: filepath.Join(dir, "secret"),
		Out: filepath.Join(dir, out), OutFormat: vecfile.JSONL, SplitBytes: 20_000, Mechanism: mech.Params{Mechanism: "laplace-l1", Epsilon: 4},
	}}
}

// folder makes files of so many texts of ten users, and a secret.
func folder(t *testing.T, rows int, id func(i int) string) string {
	t.Helper()
	dir := t.TempDir()
	for f := range 3 {
		var b bytes.Buffer
		for i := f; i < rows; i += 3 {
			fmt.Fprintf(&b, `{"id":%q,"text":"text number %d of the file, which says that %d is %d","user":"u%d"}`+"\n", id(i), i, i, i*i, i%10)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("in-%d.jsonl", f)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), bytes.Repeat([]byte{5}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func unique(i int) string { return fmt.Sprintf("r%d", i) }

// content is what a folder holds: names and bytes.
func content(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		c, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %d\n%s\n", e.Name(), len(c), c)
	}
	return b.String()
}

// TestKilled: a job whose process is killed while it writes, and that then runs again,
// leaves the bytes of one that was never disturbed; so does one that runs twice.
func TestKilled(t *testing.T) {
	dir := folder(t, 3000, unique)
	set, err := pipeline.Run(t.Context(), job(dir, "calm"), "prism")
	if err != nil {
		t.Fatal(err)
	}
	if set.Rows != 3000 || set.Released != 3000 || set.LeftOut != 0 || len(set.Parts) < 9 {
		t.Fatalf("released %d of %d in %d parts, want 3000 in several", set.Released, set.Rows, len(set.Parts))
	}
	out := filepath.Join(dir, "out")
	for killed := range 3 {
		if !killWhen(t, job(dir, "out"), written(job(dir, "out"), 2*killed)) {
			break // it was quicker
		}
	}
	if _, err = pipeline.Run(t.Context(), job(dir, "out"), "prism"); err != nil {
		t.Fatal(err)
	}
	want := content(t, filepath.Join(dir, "calm"))
	if content(t, out) != want {
		t.Error("a job that was killed left other bytes")
	}
	if _, err = pipeline.Run(t.Context(), job(dir, "out"), "prism"); err != nil || content(t, out) != want {
		t.Errorf("a job that runs again left other bytes: %v", err)
	}
}

// TestDuplicates: a job with an id that stands twice, in two files, releases nothing.
func TestDuplicates(t *testing.T) {
	dir := folder(t, 600, func(i int) string { return unique(i % 599) })
	_, err := pipeline.Run(t.Context(), job(dir, "out"), "prism")
	if !errors.Is(err, shard.ErrDuplicates) {
		t.Fatalf("got %v, want that an id stands twice", err)
	}
	if parts, _ := filepath.Glob(filepath.Join(dir, "out", "part-*")); len(parts) > 0 {
		t.Error("parts were written")
	}
}

// paying lets the users of a job pay.
func paying(j *pipeline.Job, place string) *pipeline.Job {
	j.User, j.Ledger, j.OnExhausted = "user", place, pipeline.LeaveOut
	return j
}

// book returns the place of a ledger in a folder, and what opens it for a moment.
func book(t *testing.T, dir string) (string, func(func(*ledger.Ledger) error, ledger.Options)) {
	t.Helper()
	secret, _, err := gateway.LoadSecret(filepath.Join(dir, "secret"), false)
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, "ledger")
	return place, func(use func(*ledger.Ledger) error, o ledger.Options) {
		t.Helper()
		o.SecretID, o.ChainKey = secret.ID(), secret.ChainKey()
		l, failed := ledger.OpenFile(place, o)
		if failed != nil {
			t.Fatal(failed)
		}
		if failed = errors.Join(use(l), l.Close()); failed != nil {
			t.Fatal(failed)
		}
	}
}

// spent returns the ε that user u1 has spent.
func spent(t *testing.T, with func(func(*ledger.Ledger) error, ledger.Options)) (epsilon float64) {
	t.Helper()
	with(func(l *ledger.Ledger) error {
		b, err := l.Balance(t.Context(), "u1")
		epsilon = b.Spent.EpsilonValue()
		return err
	}, ledger.Options{})
	return epsilon
}

// TestPaid: everybody pays before the first release, once; who cannot is left out, or
// nothing is released.
func TestPaid(t *testing.T) {
	dir := folder(t, 600, unique) // 60 releases at ε = 4 each
	place, with := book(t, dir)
	with(func(l *ledger.Ledger) error { // one of them has spent already
		_, err := l.Spend(t.Context(), ledger.Request{Subject: "u3", Key: ledger.Digest{1}, Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 100}, Mechanism: "another"})
		return err
	}, ledger.Options{New: true, Budget: ledger.Budget{Unit: dp.Text, Epsilon: 300, Window: time.Hour}})
	run := func(out, exhausted string) (*shard.Set, error) {
		j := job(dir, out)
		j.User, j.Ledger, j.OnExhausted = "user", place, exhausted
		return pipeline.Run(t.Context(), j, "prism")
	}
	if _, err := run("none", pipeline.Refuse); !errors.Is(err, dp.ErrBudget) {
		t.Fatalf("got %v, want that the budget is exceeded", err)
	}
	if parts, _ := filepath.Glob(filepath.Join(dir, "none", "part-*")); len(parts) > 0 {
		t.Error("a job that is refused has written parts")
	}
	for range 2 { // the second time is free
		set, err := run("out", pipeline.LeaveOut)
		if err != nil {
			t.Fatal(err)
		}
		if set.Released != 540 || set.LeftOut != 60 || *set.Paid != (shard.Paid{Users: 9, Releases: 540, Exhausted: 1}) {
			t.Errorf("released %d, left out %d, paid %+v; want 540, 60, and 9 users", set.Released, set.LeftOut, *set.Paid)
		}
		if strings.Contains(content(t, filepath.Join(dir, "out")), `"id":"r13"`) {
			t.Error("a row of a user who could not pay was released")
		}
	}
	if got := spent(t, with); !(got > 239 && got < 241) {
		t.Errorf("u1 has spent %v, want 240", got)
	}
}
