//go:build linux

package fortress_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"
)

var clocks = []attack{
	{"clock a day forward before a start", "the start is refused; on a word it is not", func(s *scene) { s.set(s.in("90000"), s.in("0")) }},
	{"clock a day back before a start", "the start is refused; on a word it is not", func(s *scene) { s.set(s.in("0"), s.in("90000")) }},
	{"clock a little off, again and again", "the start is refused within the hour", smallSteps},
	{"the two windows around a renewal", "nothing is promised beyond --lifetime", aroundRenewal},
	{"larger --budget, shorter --window, no --lifetime", "each start is refused, and none without --raise-budget", raised},
}

// in is what runs a command whose machine counts some seconds more than the
// others' do. For the command that is a clock which was set back: of the two,
// only that one can be moved without moving it for everybody.
func (s *scene) in(seconds string) []string {
	s.Helper()
	under := []string{"unshare", "--time", "--boottime", seconds}
	if out, err := exec.Command(under[0], append(under[1:], "true")...).CombinedOutput(); err != nil {
		s.Skipf("a machine's count cannot be moved here: %v: %s", err, out)
	}
	return under
}

// set starts a gateway before and after the clock was set.
func (s *scene) set(before, after []string) {
	s.Helper()
	at := s.place()
	g, err := s.startUnder(before, at.args()...)
	if err != nil {
		s.Fatal(err)
	}
	s.spends(g.base, 2)
	g.end(20 * time.Second)
	if g, err = s.startUnder(after, at.args()...); err == nil {
		s.fell("it starts; a release is answered with %v", from("127.0.0.1", g.base).embed("alice", "a text that follows"))
		return
	}
	s.judge(strings.Contains(err.Error(), "jumped"), "refused: %s", shortened(err.Error()))
	accept := exec.Command(after[0], append(after[1:], binary, "budget", "clock", "--ledger", at.ledger, "--accept", "--reason", "an attack")...)
	if out, failed := accept.CombinedOutput(); failed != nil {
		s.Fatalf("accepting it: %v: %s", failed, out)
	}
	if g, err = s.startUnder(after, at.args()...); err != nil {
		s.fell("accepted, it does not start: %v", err)
		return
	}
	s.spends(g.base, 1)
	s.note("accepted, it starts")
}

// smallSteps moves the count by 25 minutes at each start.
func smallSteps(s *scene) {
	at, _ := s.history()
	for _, seconds := range []string{"1500", "3000", "4500"} {
		g, err := s.startUnder(s.in(seconds), at.args()...)
		if err != nil {
			s.judge(seconds == "4500", "refused at %s s: %s", seconds, shortened(err.Error()))
			return
		}
		g.end(20 * time.Second)
	}
	s.fell("it starts 75 minutes off")
}

func raised(s *scene) {
	at := s.place()
	first := []string{"--budget", "40", "--lifetime", "100"}
	s.run(at.args(first...)...).end(20 * time.Second)
	for _, args := range [][]string{{"--lifetime", "100"}, {"--budget", "40"}, {"--budget", "40", "--lifetime", "100", "--window", "1h"}} {
		if _, err := s.start(at.args(args...)...); err == nil {
			s.fell("%v: it starts", args)
		} else if !strings.Contains(err.Error(), "--raise-budget") {
			s.fell("%v: %v", args, err)
		}
	}
	g := s.run(at.args("--budget", "80", "--raise-budget")...)
	s.spends(g.base, 1)
	s.note("3 command lines refused, and taken with the word")
}

// aroundRenewal spends all of one window and all of the next. A budget bounds each
// window, and not what two of them allow within a moment; --lifetime bounds all.
func aroundRenewal(s *scene) {
	s.state()
	window := time.Duration(s.many(4, 2)) * time.Second
	spend := func(g *process) (released int, within time.Duration) {
		c := from("127.0.0.1", g.base)
		next := time.Now().Truncate(window).Add(window)
		time.Sleep(time.Until(next.Add(-window / 4)))
		began := time.Now()
		for i := 0; i < 40; i++ {
			if i == 20 {
				time.Sleep(time.Until(next.Add(10 * time.Millisecond)))
			}
			if c.embed("alice", fmt.Sprint("text ", i)).status == http.StatusOK {
				released++
			}
		}
		return released, time.Since(began)
	}
	args := []string{"--epsilon", "8", "--budget", "80", "--window", window.String(), "--rate", "0"}
	plain, bounded := s.gateway(args...), s.gateway(append(args, "--lifetime", "120")...)
	var group sync.WaitGroup
	group.Go(func() {
		n, within := spend(plain)
		s.note("%d releases of 10 a window within %.1f s", n, within.Seconds())
	})
	n, within := spend(bounded)
	group.Wait()
	s.judge(n <= 15, "with a lifetime of 15 releases %d within %.1f s", n, within.Seconds())
}
