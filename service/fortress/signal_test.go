//go:build linux

package fortress_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

var signals = []attack{
	{"SIGHUP under load", "no answer is lost", hangups},
	{"SIGTERM under load", "readiness is withdrawn first; no answer is lost; it ends", terminated},
	{"sotto serve: SIGHUP under load", "no answer is lost", func(s *scene) { hangupsOf(s, s.serve()) }},
	{"sotto serve: SIGTERM under load", "readiness is withdrawn first; no answer is lost; it ends", func(s *scene) { terminatedOf(s, s.serve("--withdraw", "2s", "--drain", "10s"), "/v2/health/ready") }},
}

func hangups(s *scene) {
	_, keys := s.key()
	hangupsOf(s, s.gateway("--budget", "1e6", "--keys", keys, "--rate", "0"))
}

// load asks from several connections until stop is closed, and counts.
func (s *scene) load(p *process, stop <-chan struct{}) (count tally, wait func()) {
	count = tally{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for w := range 8 {
		c := from("127.0.0.1", p.base)
		c.key = s.keyOf(p)
		group.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				var a answer
				if isServe(p) {
					a = c.do("POST", "/v2/models/good/infer", `{"parameters": {"sotto_privacy": {"unit": "text", "epsilon": 8}}, "inputs": [{"name": "vector", "datatype": "FP32", "shape": [1, 4], "data": [0.1, 0.2, 0.3, 0.4]}]}`)
				} else {
					a = c.embed(fmt.Sprint("user", w), fmt.Sprintf("text %d %d", w, i))
				}
				mu.Lock()
				if a.err != nil {
					s.Log(a)
				}
				count.add(a)
				mu.Unlock()
			}
		})
	}
	return count, group.Wait
}

func isServe(p *process) bool { return strings.Contains(strings.Join(p.Args, " "), " serve ") }

func hangupsOf(s *scene, p *process) {
	stop := make(chan struct{})
	count, wait := s.load(p, stop)
	for range s.many(50, 5) {
		time.Sleep(50 * time.Millisecond)
		p.Process.Signal(syscall.SIGHUP) //nolint:errcheck // judged below
	}
	time.Sleep(100 * time.Millisecond)
	close(stop)
	wait()
	s.judge(p.alive() && len(count) == 1 && count["200"] > 0, "%v; alive: %v", count, p.alive())
}

func terminated(s *scene) {
	terminatedOf(s, s.gateway("--budget", "1e6", "--withdraw", "2s", "--drain", "10s", "--rate", "0"), "/readyz")
}

// terminatedOf ends a process whose clients stop when readiness is withdrawn, as
// those behind a load balancer do: none of them may lose an answer.
func terminatedOf(s *scene, p *process, path string) {
	stop := make(chan struct{})
	count, wait := s.load(p, stop)
	looker := from("127.0.0.1", p.base)
	time.Sleep(300 * time.Millisecond)
	before := looker.ready(path)
	p.Process.Signal(syscall.SIGTERM) //nolint:errcheck // judged below
	// A load balancer looks again and again, each time on a new connection.
	var seen answer
	_, withdrawn := within(5*time.Second, func() bool {
		look := from("127.0.0.1", p.base)
		look.Timeout = 2 * time.Second
		seen = look.do("GET", path, "")
		look.CloseIdleConnections()
		return seen.err != nil || seen.status != http.StatusOK
	})
	close(stop)
	wait()
	took, killed := p.await(30 * time.Second)
	s.judge(before && withdrawn && seen.err == nil && seen.status == http.StatusServiceUnavailable, "readiness was withdrawn with %v", seen)
	s.judge(len(count) == 1 && count["200"] > 0, "%v", count)
	s.judge(!killed && exitCode(p.err) == 0, "ended with %d after %.1f s", exitCode(p.err), took.Seconds())
}
