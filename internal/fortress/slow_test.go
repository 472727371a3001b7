//go:build linux

package fortress_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"sotto/internal/httpserve/servetest"
)

var slowClients = []attack{
	{"slow bodies, more than there are places", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), s.many(1000, 100), 1, trickle("POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n", `{"input": "`))
	}},
	{"slow bodies, from 1,000 addresses", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), s.many(1000, 100), 1000, trickle("POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n", `{"input": "`))
	}},
	{"slow headers", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), s.many(1000, 100), 4, trickle("POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\n", "X-A: b\r\n"))
	}},
	{"100-continue that is never continued", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), s.many(1000, 100), 4, trickle("POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", ""))
	}},
	{"idle connections", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), s.many(2000, 200), 4, trickle("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", ""))
	}},
	{"answers that nobody reads", "honest requests are answered; p99 at most 3 times its quiet value", unread},
	{"handshakes that nobody ends", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		cert, key := servetest.Certify(s)
		s.under(s.gateway("--concurrency", "64", "--tls-cert", cert, "--tls-key", key), s.many(1000, 100), 4, trickle("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x00"))
	}},
	{"sotto serve: slow bodies, more than there are places", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.serve("--concurrency", "8"), s.many(1000, 100), 4, trickle("POST /v2/models/good/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n", `{"id": "`))
	}},
	{"more work than there are places", "readiness says that the service sheds load; health and metrics answer", shedding},
}

// trickle sends a beginning, and then a few bytes a second for ever.
func trickle(begin, drip string) func(context.Context, net.Conn) {
	return func(ctx context.Context, c net.Conn) {
		if _, err := c.Write([]byte(begin)); err != nil {
			return
		}
		gone := make(chan struct{})
		go func() { // an answer, or the end
			defer close(gone)
			in := bufio.NewReader(c)
			for {
				if _, err := in.ReadByte(); err != nil {
					return
				}
			}
		}()
		for {
			select {
			case <-ctx.Done():
				return
			case <-gone:
				return
			case <-time.After(500 * time.Millisecond):
			}
			if drip == "" {
				continue
			}
			if _, err := c.Write([]byte(drip)); err != nil {
				return
			}
		}
	}
}

// unread asks for long answers and reads none of them.
func unread(s *scene) {
	g := s.gateway("--concurrency", "64", "--budget", "1e6", "--rate", "0")
	request := post("/v1/embeddings", `{"user": "mallory", "input": `+texts(256, "a text")+`}`)
	s.under(g, s.many(500, 80), 500, func(ctx context.Context, c net.Conn) {
		if t, ok := c.(*net.TCPConn); ok {
			t.SetReadBuffer(1 << 12) //nolint:errcheck // it only makes the attack stronger
		}
		for range 20 {
			c.SetWriteDeadline(time.Now().Add(10 * time.Second)) //nolint:errcheck // it is a real connection
			if _, err := c.Write(request); err != nil {
				break
			}
		}
		<-ctx.Done()
	})
}

// shedding fills every place with honest but long work, and looks at readiness.
func shedding(s *scene) {
	g := s.gateway("--concurrency", "2", "--budget", "1e9", "--rate", "0", "--noise", "fresh")
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	request := post("/v1/embeddings", `{"user": "busy", "input": `+texts(256, strings.Repeat("word ", 600))+`}`)
	group := swarm(ctx, g.base, 40, 40, func(ctx context.Context, c net.Conn) {
		in := bufio.NewReader(c)
		for ctx.Err() == nil {
			go c.Write(request) //nolint:errcheck // an early answer ends it
			if a := readAnswer(in); a.err != nil {
				return
			}
		}
	})
	looker := from("127.0.0.1", g.base)
	said, shed, dead := tally{}, false, 0
	for range 60 {
		a := looker.do("GET", "/readyz", "")
		said.add(a)
		shed = shed || a.status == http.StatusServiceUnavailable
		for _, path := range []string{"/healthz", "/metrics"} {
			if b := looker.do("GET", path, ""); b.err != nil || b.status != http.StatusOK {
				dead++
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	cancel()
	group.Wait()
	s.judge(dead == 0, "health and metrics unanswered: %d", dead)
	s.judge(shed, "readiness: %v", said)
	_, again := within(15*time.Second, func() bool { return looker.ready("/readyz") })
	s.judge(again, "ready again afterwards: %v", again)
}
