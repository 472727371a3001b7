//go:build linux

package fortress_test

import (
	"net/http"
	"time"

	"sotto/service/httpserve/servetest"
)

var slowClients = []attack{
	{"slow bodies, more than there are places", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), slow, s.many(1000, 100), 1, begun("/v1/embeddings"), `{"input": "`)
	}},
	{"slow bodies, from 1,000 addresses", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), slow, s.many(1000, 100), 1000, begun("/v1/embeddings"), `{"input": "`)
	}},
	{"slow headers", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), slow, s.many(1000, 100), 4, "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\n", "X-A: b\r\n")
	}},
	{"100-continue that is never continued", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), slow, s.many(1000, 100), 4, "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", "")
	}},
	{"idle connections", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway("--concurrency", "64"), slow, s.many(2000, 200), 4, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "")
	}},
	{"answers that nobody reads", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway(append(whole, "--concurrency", "64", "--budget", "1e6", "--rate", "0")...), deaf, s.many(500, 80), 500, post("/v1/embeddings", `{"user": "mallory", "input": `+texts(256, "a text")+`}`), "")
	}},
	{"handshakes that nobody ends", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		cert, key := servetest.Certify(s)
		s.under(s.gateway("--concurrency", "64", "--tls-cert", cert, "--tls-key", key), slow, s.many(1000, 100), 4, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x00")
	}},
	{"sotto serve: slow bodies, more than there are places", "honest requests are answered; p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.serve("--concurrency", "8"), slow, s.many(1000, 100), 4, begun("/v2/models/good/infer"), `{"id": "`)
	}},
	{"more work than there are places", "readiness says that the service sheds load; health and metrics answer", shedding},
}

// begun is the header of a request whose body is a megabyte.
func begun(path string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
}

// shedding fills every place with honest but long work, and looks at readiness.
func shedding(s *scene) {
	g := s.gateway("--concurrency", "1", "--share", "1", "--budget", "1e9", "--rate", "0", "--noise", "fresh")
	end := s.swarm(hostility{
		N: 100, Addresses: 100, Kind: flooding, Base: g.base,
		Begin: []byte(post("/v1/embeddings", `{"user": "busy", "input": `+texts(20, "a few words of work")+`}`)),
	})
	looker := from("127.0.0.1", g.base)
	said, shed, dead := tally{}, false, 0
	// On a machine with other work the crowd may take its time to arrive.
	for i := 0; i < s.many(60, 20) || !shed && i < 600; i++ {
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
	s.note("hostile answers: %v", end())
	s.judge(dead == 0, "health and metrics unanswered: %d", dead)
	s.judge(shed, "readiness: %v", said)
	_, again := within(15*time.Second, func() bool { return looker.ready("/readyz") })
	s.judge(again, "ready again afterwards: %v", again)
}
