//go:build linux

package fortress_test

import (
	"encoding/json"
	"fmt"
	weakrand "math/rand/v2"
	"net/http"
	"sync"
	"syscall"
	"time"
)

var money = []attack{
	{"kills under load", "every answer is paid, once, and comes again with the same bits; the ledger verifies", kills},
	{"a race at the limit", "as many releases as the budget allows, and no more", race},
}

// kills kills a gateway without warning, again and again.
func kills(s *scene) {
	at := s.place()
	r := weakrand.New(weakrand.NewPCG(1, 2))
	given := map[string]string{} // vectors by text
	rounds := s.many(25, 5)
	args := append(whole, "--budget", "1e9", "--rate", "0")
	for round := range rounds {
		g := s.run(at.args(args...)...)
		var mu sync.Mutex
		var group sync.WaitGroup
		for w := range 4 {
			c := from("127.0.0.1", g.base)
			group.Go(func() {
				for i := 0; ; i++ {
					text := fmt.Sprintf("text %d %d %d", round, w, i)
					a := c.embed("alice", text)
					if a.err != nil {
						return
					}
					if a.status != http.StatusOK {
						s.Errorf("status %v", a)
						return
					}
					mu.Lock()
					given[text] = vectorOf(a)
					mu.Unlock()
				}
			})
		}
		time.Sleep(time.Duration(20+r.IntN(200)) * time.Millisecond)
		g.Process.Signal(syscall.SIGKILL) //nolint:errcheck // it runs
		group.Wait()
		<-g.ended
	}
	g := s.run(at.args(args...)...)
	c := from("127.0.0.1", g.base)
	unpaid, other := 0, 0
	for text, vector := range given {
		a := c.embed("alice", text)
		if a.status != http.StatusOK || a.field("privacy", "cost") != 0.0 {
			unpaid++
		}
		if vectorOf(a) != vector {
			other++
		}
	}
	s.judge(len(given) > rounds && unpaid == 0 && other == 0, "%d kills, %d answers, %d unpaid, %d with other bits", rounds, len(given), unpaid, other)
	g.end(answered)
	out, err := s.verify(at)
	s.judge(err == nil, "the ledger: %s", shortened(lastLine(out)))
}

// vectorOf is the first vector of an answer, as it was written.
func vectorOf(a answer) string {
	var v struct {
		Data []struct{ Embedding json.RawMessage }
	}
	if json.Unmarshal(a.body, &v) != nil || len(v.Data) != 1 {
		return ""
	}
	return string(v.Data[0].Embedding)
}

func race(s *scene) {
	at := s.place()
	g := s.run(at.args("--epsilon", "8", "--budget", "80", "--rate", "0")...)
	c := from("127.0.0.1", g.base)
	count := crowd(100, func(i int) answer { return c.embed("alice", fmt.Sprint("text ", i)) })
	s.judge(count["200"] == 10 && count["403"] == 90, "%v", count)
	g.end(answered)
	out, err := s.verify(at)
	s.judge(err == nil, "the ledger: %s", shortened(lastLine(out)))
}
