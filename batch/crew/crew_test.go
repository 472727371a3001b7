package crew_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/batch/crew"
)

// TestMain is also the process that does tasks.
func TestMain(m *testing.M) {
	if os.Getenv("SOTTO_CREW_TEST") == "" {
		os.Exit(m.Run())
	}
	if err := crew.Serve(os.Stdin, os.Stdout, setup, func() { os.Exit(3) }); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// setup returns what does a task in a folder: to die as often as its file counts, to fail,
// to wait, or to say its words again.
func setup(dir []byte) (func(string) (string, error), error) {
	if string(dir) == "bad" {
		return nil, errors.New("the folder is bad")
	}
	return func(t string) (string, error) {
		verb, rest, _ := strings.Cut(t, " ")
		switch verb {
		case "die": // unless it has died as often before
			for i := range rest {
				name := filepath.Join(string(dir), fmt.Sprint("died-", i))
				if _, err := os.Stat(name); err != nil {
					_ = os.WriteFile(name, nil, 0o600)
					os.Exit(9)
				}
			}
		case "fail":
			return "", errors.New(rest)
		case "wait":
			time.Sleep(time.Minute)
		}
		return rest, nil
	}, nil
}

func start() *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "SOTTO_CREW_TEST=1")
	return c
}

// TestDo: many tasks at a time each have their own answer; a task whose process dies is done
// by another, up to a number of times; one that fails is not.
func TestDo(t *testing.T) {
	c := crew.New(2, start, []byte(t.TempDir()))
	defer c.Close()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			var got string
			want := fmt.Sprint("number ", i)
			if err := c.Do(t.Context(), "say "+want, &got); err != nil || got != want {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
	all.Wait()
	var got string
	if err := c.Do(t.Context(), "fail for a reason", &got); err == nil || err.Error() != "for a reason" {
		t.Errorf("got %v, want what the task says", err)
	}
	if err := c.Do(t.Context(), "die xx", &got); err != nil || got != "xx" {
		t.Errorf("a task that two processes die of: %q, %v; want that a third does it", got, err)
	}
	if err := c.Do(t.Context(), "die xxxxxx", &got); err == nil || !strings.Contains(err.Error(), "3 processes died") {
		t.Errorf("got %v, want that the task is to blame", err)
	}
	if err := c.Do(t.Context(), "say again", &got); err != nil || got != "again" {
		t.Errorf("after that: %q, %v", got, err)
	}
}

// TestEnd: a task whose context ends is not waited for, and nothing is done after Close.
func TestEnd(t *testing.T) {
	c := crew.New(1, start, []byte(t.TempDir()))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var got string
	if err := c.Do(ctx, "wait", &got); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that the time is over", err)
	}
	c.Close()
	if err := c.Do(t.Context(), "say it", &got); err == nil {
		t.Error("a crew that is closed does a task")
	}
	bad := crew.New(1, start, []byte("bad"))
	defer bad.Close()
	if err := bad.Do(t.Context(), "say it", &got); err == nil || err.Error() != "the folder is bad" {
		t.Errorf("got %v, want what is wrong with the folder", err)
	}
	lost := crew.New(1, func() *exec.Cmd { return exec.Command(filepath.Join(t.TempDir(), "none")) }, []byte("x"))
	defer lost.Close()
	if err := lost.Do(t.Context(), "say it", &got); err == nil {
		t.Error("a program that is not there does a task")
	}
}
