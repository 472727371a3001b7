//go:build unix

package pipeline_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"sotto/batch/pipeline"
	"sotto/promise/dp"
	"sotto/service/ledger"
)

// children are the processes that another has started and that live.
func children(t *testing.T, of int) (all []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("there is no /proc here, in which to find processes")
	}
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // it is gone
		}
		fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // state, parent, …
		if string(fields[1]) != strconv.Itoa(of) || string(fields[0]) == "Z" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	return all
}

// signal sends a signal to processes. One that is gone gets none.
func signal(pids []int, s syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s)
	}
}

// TestHandsKilled: two processes make the parts of a job, and are killed, first while ids are
// looked at and then while parts are written. The job goes on with others, and leaves the
// bytes of one that was never disturbed; everybody has paid once.
func TestHandsKilled(t *testing.T) {
	dir := folder(t, 3000, unique)
	place, with := rich(t, dir)
	_, chunks, err := pipeline.Plan(t.Context(), job(dir, "calm"))
	if err != nil {
		t.Fatal(err)
	}
	outs := []string{}
	for killed := 0; killed == 0; { // a job may be quicker than who kills
		if len(outs) == 5 {
			t.Fatal("no process was killed while it wrote")
		}
		out := fmt.Sprint("out-", len(outs))
		outs = append(outs, out)
		j := paying(job(dir, out), place)
		j.Processes = 2
		ended := make(chan error, 1)
		go func() {
			_, failed := pipeline.Run(t.Context(), j, "prism")
			ended <- failed
		}()
		for len(children(t, os.Getpid())) < 2 && len(ended) == 0 {
			time.Sleep(time.Millisecond)
		}
		signal(children(t, os.Getpid()), syscall.SIGKILL)
		if killed, err = killWriting(t, os.Getpid(), j, len(chunks), ended, func() {}); err != nil {
			t.Fatalf("a job whose processes are killed: %v", err)
		}
	}
	paid := spent(t, with)
	if want := 300 * 4.0; !(paid > want-1 && paid < want+1) {
		t.Errorf("a user has spent %v, want %v", paid, want)
	}
	if left := children(t, os.Getpid()); len(left) > 0 {
		t.Errorf("%d processes are left", len(left))
	}
	if _, err = pipeline.Run(t.Context(), paying(job(dir, "calm"), place), "prism"); err != nil {
		t.Fatal(err)
	}
	want := content(t, filepath.Join(dir, "calm"))
	for _, out := range outs {
		if content(t, filepath.Join(dir, out)) != want {
			t.Error("a job whose processes were killed left other bytes")
		}
	}
	if again := spent(t, with); again != paid {
		t.Errorf("a user has spent %v, and %v after the same job: want it once", paid, again)
	}
}

// killWriting stops what a process has started when its job has written a part, kills that
// if not all parts are written, so that what it was at is half done, and waits for the end
// of the job. It returns how many it killed, of which it tells before it waits.
func killWriting(t *testing.T, of int, j *pipeline.Job, parts int, ended <-chan error, tell func()) (killed int, err error) {
	t.Helper()
	for begun, all := written(j, 0), written(j, parts-1); ; {
		select {
		case err = <-ended:
			return killed, err
		case <-time.After(time.Millisecond):
		}
		if killed > 0 || !begun() {
			continue
		}
		pids := children(t, of)
		signal(pids, syscall.SIGSTOP)
		if all() {
			signal(pids, syscall.SIGCONT)
			return 0, <-ended
		}
		signal(pids, syscall.SIGKILL)
		if killed = len(pids); killed > 0 {
			tell()
		}
	}
}

// rich begins a ledger in which everybody can pay for everything.
func rich(t *testing.T, dir string) (string, func(func(*ledger.Ledger) error, ledger.Options)) {
	t.Helper()
	place, with := book(t, dir)
	with(func(*ledger.Ledger) error { return nil }, ledger.Options{New: true, Budget: ledger.Budget{Unit: dp.Text, Epsilon: 10_000, Window: time.Hour}})
	return place, with
}

// TestWorkerKilled: Prism starts a worker as a process, which is killed while it writes.
// Prism does not do its work again: the job fails, or waits for ever if Prism takes the end
// of the process for an orderly one, and is then killed as well. Whoever runs it again
// gets the bytes of a job that was never disturbed, and nobody pays twice.
func TestWorkerKilled(t *testing.T) {
	dir := folder(t, 3000, unique)
	place, with := rich(t, dir)
	_, chunks, err := pipeline.Plan(t.Context(), job(dir, "calm"))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	t.Setenv("SOTTO_BATCH_APART", filepath.Join(dir, "in-0.jsonl")) // for Beam to hand out as a program; nobody asks for it
	for try, killed := 0, 0; killed == 0; try++ {                   // a job may be quicker than who kills
		if try == 5 {
			t.Fatal("no worker was killed while it wrote")
		}
		if err = os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		engine, ended := start(t, paying(job(dir, "out"), place))
		killed, err = killWriting(t, engine.Pid, paying(job(dir, "out"), place), len(chunks), ended, func() {
			time.AfterFunc(3*time.Second, func() { _ = engine.Kill() })
		})
		if killed > 0 && err == nil {
			t.Error("a job whose worker was killed says that it ended well: does Prism do work again now?")
		} else if killed == 0 && err != nil {
			t.Fatalf("a job whose worker is a process: %v", err)
		}
	}
	paid := spent(t, with)
	for _, name := range []string{"out", "calm"} {
		if _, err = pipeline.Run(t.Context(), paying(job(dir, name), place), "prism"); err != nil {
			t.Fatal(err)
		}
	}
	if content(t, out) != content(t, filepath.Join(dir, "calm")) {
		t.Error("a job whose worker was killed, and that ran again, left other bytes")
	}
	if again := spent(t, with); again != paid || !(paid > 1199 && paid < 1201) {
		t.Errorf("a user has spent %v, and %v in the end, want 1200 both times", paid, again)
	}
}
