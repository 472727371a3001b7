//go:build cgo && linux && openblas

// Command blas trains attack models, 300→512→2 on 256 rows, in plain Go over
// OpenBLAS: what the package nn is without assembly of its own. It is there
// for run, one folder up, to compare with, and for nothing else.
//
//	blas processes 2  steps a second of two trainings, each in its process
//	blas threads 2    the same in two threads of one process
//
// Each prints the best of a few windows, as peer.c does.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "blas:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("want processes or threads, and how many")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 || n > maxTrainers {
		return fmt.Errorf("the number is %s, must be from 1 to %d", args[1], maxTrainers)
	}
	var rate float64
	switch args[0] {
	case "processes":
		rate, err = inProcesses(n)
	case "threads":
		rate = inThreads(n)
	case "child": // of processes: trainer n−1, until it is killed
		return child(n - 1)
	default:
		err = errors.New("want processes or threads")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "attack %.0f\n", rate)
	return err
}

const (
	maxTrainers = 32
	cacheLine   = 128 // bytes between two counters, so that they do not share a line
)

// counters are the steps that each trainer took.
type counters [maxTrainers]struct {
	atomic.Int64
	_ [cacheLine - 8]byte
}

func (c *counters) sum() (total int64) {
	for i := range c {
		total += c[i].Load()
	}
	return total
}

// best returns the most steps a second of all trainers together in a window of
// 0.2 s. The first window warms up.
func (c *counters) best() float64 {
	var best float64
	for window := range 9 {
		start, before := time.Now(), c.sum()
		time.Sleep(200 * time.Millisecond)
		if rate := float64(c.sum()-before) / time.Since(start).Seconds(); window > 0 {
			best = max(best, rate)
		}
	}
	return best
}

// inThreads ends with the trainers at work: the process ends next.
func inThreads(n int) float64 {
	counts := new(counters)
	for i := range n {
		go func() {
			runtime.LockOSThread()
			train(&counts[i].Int64)
		}()
	}
	return counts.best()
}

// inProcesses starts this program again for each trainer. The counters are in
// a file that all of them map into memory.
func inProcesses(n int) (float64, error) {
	f, err := os.CreateTemp("", "blas-")
	if err != nil {
		return 0, err
	}
	defer f.Close()           //nolint:errcheck // nothing is kept
	defer os.Remove(f.Name()) //nolint:errcheck // see above
	if err = f.Truncate(int64(unsafe.Sizeof(counters{}))); err != nil {
		return 0, err
	}
	counts, err := shared(f)
	if err != nil {
		return 0, err
	}
	runtime.LockOSThread() // a child dies with the thread that started it
	for i := range n {
		c := exec.Command(os.Args[0], "child", strconv.Itoa(i+1))
		c.Stderr = os.Stderr
		c.ExtraFiles = []*os.File{f}
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err = c.Start(); err != nil {
			return 0, err
		}
		defer c.Wait()         //nolint:errcheck // it was killed
		defer c.Process.Kill() //nolint:errcheck // see Pdeathsig
	}
	return counts.best(), nil
}

func child(i int) error {
	counts, err := shared(os.NewFile(3, "counters")) // the first of ExtraFiles
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	train(&counts[i].Int64)
	return nil
}

// shared maps a file of counters into memory.
func shared(f *os.File) (*counters, error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, int(unsafe.Sizeof(counters{})), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*counters)(unsafe.Pointer(&b[0])), nil
}
