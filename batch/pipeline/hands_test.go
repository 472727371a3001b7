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
	"sotto/dp"
	"sotto/ledger"
)

// children are the processes that this one has started and that live.
func children(t *testing.T) (all []int) {
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
		if string(fields[1]) != strconv.Itoa(os.Getpid()) || string(fields[0]) == "Z" {
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
	place, with := book(t, dir)
	with(func(*ledger.Ledger) error { return nil }, ledger.Options{New: true, Budget: ledger.Budget{Unit: dp.Text, Epsilon: 10_000, Window: time.Hour}})
	paying := func(out string, processes int) *pipeline.Job {
		j := job(dir, out)
		j.User, j.Ledger, j.OnExhausted, j.Processes = "user", place, pipeline.LeaveOut, processes
		return j
	}
	_, chunks, err := pipeline.Plan(t.Context(), paying("calm", 0))
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
		ended := make(chan error, 1)
		go func() {
			_, failed := pipeline.Run(t.Context(), paying(out, 2), "prism")
			ended <- failed
		}()
		for len(children(t)) < 2 {
			time.Sleep(time.Millisecond)
		}
		signal(children(t), syscall.SIGKILL)
		killed = killWriting(t, filepath.Join(dir, out), len(chunks), ended)
		if err = <-ended; err != nil {
			t.Fatalf("a job whose processes are killed: %v", err)
		}
	}
	paid := spent(t, with, "u1")
	if want := 300 * 4.0; !(paid > want-1 && paid < want+1) {
		t.Errorf("a user has spent %v, want %v", paid, want)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("%d processes are left", len(left))
	}
	if _, err = pipeline.Run(t.Context(), paying("calm", 0), "prism"); err != nil {
		t.Fatal(err)
	}
	want := content(t, filepath.Join(dir, "calm"))
	for _, out := range outs {
		if content(t, filepath.Join(dir, out)) != want {
			t.Error("a job whose processes were killed left other bytes")
		}
	}
	if again := spent(t, with, "u1"); again != paid {
		t.Errorf("a user has spent %v, and %v after the same job: want it once", paid, again)
	}
}

// killWriting stops the processes of a job when it has written its first part, and kills
// them if it has not written all: what they were at is half done. It returns how many.
func killWriting(t *testing.T, out string, parts int, ended chan error) int {
	t.Helper()
	for {
		written, err := filepath.Glob(filepath.Join(out, "part-*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(written) > 0 {
			break
		}
		select {
		case err = <-ended:
			ended <- err
			return 0
		case <-time.After(time.Millisecond):
		}
	}
	pids := children(t)
	signal(pids, syscall.SIGSTOP)
	defer signal(pids, syscall.SIGCONT)
	written, err := filepath.Glob(filepath.Join(out, "part-*"))
	if err != nil || len(written) == parts {
		return 0
	}
	signal(pids, syscall.SIGKILL)
	return len(pids)
}
