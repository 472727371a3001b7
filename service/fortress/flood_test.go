//go:build linux

package fortress_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"sotto/promise/dp/dptest"
)

// mostMiB is what a process may take under any flood.
const mostMiB = 512

// slower is how many times as long as in quiet an honest client may wait.
const slower = 3.0

var floods = []attack{
	{"350,000 empty strings, from one address", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway(), flooding, s.many(400, 20), 1, emptyStrings(), "")
	}},
	{"350,000 empty strings, from 1,000 addresses", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway(), flooding, s.many(1000, 20), 1000, emptyStrings(), "")
	}},
	{"hundreds of texts of 4 KiB that nobody pays for", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway(whole...), flooding, s.many(1000, 20), 1000, post("/v1/embeddings", `{"user": "nobody", "input": `+texts(250, strings.Repeat("word ", 800))+`}`), "")
	}},
	{"nesting a million deep", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway(), flooding, s.many(400, 20), 4, post("/v1/embeddings", `{"input": `+strings.Repeat("[", 1<<20-100)), "")
	}},
	{"bodies without a length, in chunks of a byte", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway(), flooding, s.many(400, 20), 4, chunks("/v1/embeddings", 1<<17), "")
	}},
	{"headers of a megabyte", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.gateway(), flooding, s.many(400, 20), 4, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: "+strings.Repeat("x", 1<<20)+"\r\n\r\n", "")
	}},
	{"sotto serve: 8 MiB of numbers", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.serve(), flooding, s.many(1000, 20), 1000, numbers(`0,`), "")
	}},
	{"sotto serve: 8 MiB of brackets", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.serve(), flooding, s.many(400, 20), 4, numbers(`[`), "")
	}},
	{"sotto serve: 8 MiB of class names", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.under(s.serve(), flooding, s.many(400, 20), 4, numbers(`"",`), "")
	}},
	{"4,000 requests a second without a key, from two addresses", "95 % of requests with a key are answered within 5 s; it is ready", lockout},
	{"half a header, or no body, on more connections than there may be, from two addresses", "95 % of requests with a key, each on its own connection, are answered within 5 s; it is ready", halves},
	{"requests that lie about their length", "each is refused, none is taken for two", smuggled},
}

// serve starts a server with one small model.
func (s *scene) serve(more ...string) *process {
	s.Helper()
	args := []string{"serve", "--model", s.model()}
	if !s.full {
		args = append(args, "--withdraw", "0s")
	}
	return s.run(append(args, more...)...)
}

// post is a whole request.
func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

func emptyStrings() string {
	return post("/v1/embeddings", `{"user": "mallory", "input": `+texts(349_000, "")+`}`)
}

// numbers is a request of almost 8 MiB to a server.
func numbers(unit string) string {
	head := `{"parameters": {"sotto_privacy": {"unit": "text", "epsilon": 8}}, "inputs": [{"name": "vector", "datatype": "FP32", "shape": [1, 4], "data": [`
	return post("/v2/models/good/infer", head+strings.Repeat(unit, (8<<20-1000)/len(unit))+`0]}]}`)
}

// chunks is a request whose body comes in chunks of one byte.
func chunks(path string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", path)
	for range n {
		b.WriteString("1\r\n[\r\n")
	}
	b.WriteString("0\r\n\r\n")
	return b.String()
}

// under measures a process under a swarm: its memory, how long an honest client
// waits, what it is answered, and whether health and metrics can be reached.
func (s *scene) under(p *process, kind string, n, addresses int, begin, drip string) {
	s.Helper()
	s.underAt(p, p.base, kind, n, addresses, begin, drip)
}

// tries is how often an honest client's p99 is measured, in quiet and under attack.
// The least of each counts: whatever else runs on the machine makes it larger, and
// nothing smaller.
const tries = 3

// underAt is under, where the swarm calls another address than the honest client.
func (s *scene) underAt(p *process, base, kind string, n, addresses int, begin, drip string) {
	s.Helper()
	lasts := time.Duration(s.many(5000, dptest.Count(s, 400, 1500))) * time.Millisecond
	var quiet, loud experience
	var count tally
	for range s.many(tries, 1) {
		quiet.add(honest(s, p, lasts/2))
		end := s.swarm(hostility{n, addresses, []byte(begin), []byte(drip), kind, base})
		time.Sleep(lasts / 4) // for the swarm to be there
		work := p.worked()
		loud.add(honest(s, p, lasts))
		s.Logf("the process worked for %v of %v", p.worked()-work, lasts)
		count = end()
		if loud.refused > 0 || s.slowly {
			break
		}
		time.Sleep(lasts / 4) // for the swarm to be gone
	}
	peak := p.peak()
	s.judge(p.alive() && peak < mostMiB, "%d connections: %d MiB", n, peak)
	s.judge(loud.refused == 0, "honest requests: %v", loud.count)
	s.judge(s.slowly || loud.unreachable == 0, "health and metrics: %d of %d unanswered", loud.unreachable, loud.looks)
	if loud.p99 > 0 {
		ratio := loud.p99.Seconds() / quiet.p99.Seconds()
		s.judge(!s.full || s.slowly || ratio <= slower, "p99 %.1f ms, quiet %.1f ms: %.1f times", 1e3*loud.p99.Seconds(), 1e3*quiet.p99.Seconds(), ratio)
	}
	if len(count) > 0 {
		s.note("hostile answers: %v", count)
	}
}

// add adds what was met at another time.
func (e *experience) add(o experience) {
	if e.p99 == 0 || o.p99 > 0 && o.p99 < e.p99 {
		e.p99 = o.p99
	}
	if e.count == nil {
		e.count = tally{}
	}
	for name, n := range o.count {
		e.count[name] += n
	}
	e.refused += o.refused
	e.looks += o.looks
	e.unreachable += o.unreachable
}

// experience is what an honest client met.
type experience struct {
	p99                time.Duration // of answers; 0 if there were none
	count              tally
	refused            int
	looks, unreachable int // at health and metrics
}

// honest asks at a modest pace, each time as another user for another text, and
// looks at health and metrics.
func honest(s *scene, p *process, lasts time.Duration) experience {
	e := experience{count: tally{}}
	c, looker := from("127.0.0.1", p.base), from("127.0.0.1", p.base)
	c.Timeout, looker.Timeout = 30*time.Second, 5*time.Second
	ask := func(i int) answer {
		return c.embed(fmt.Sprintf("honest-%d", i%997), fmt.Sprintf("the text %d of %v", i, time.Now().UnixNano()))
	}
	paths := []string{"/healthz", "/metrics"}
	if strings.Contains(strings.Join(p.Args, " "), " serve ") {
		paths = []string{"/v2/health/live", "/metrics"}
		ask = func(int) answer {
			return c.do("POST", "/v2/models/good/infer", `{"parameters": {"sotto_privacy": {"unit": "text", "epsilon": 8}}, "inputs": [{"name": "vector", "datatype": "FP32", "shape": [1, 4], "data": [0.1, 0.2, 0.3, 0.4]}]}`)
		}
	}
	ctx, cancel := context.WithTimeout(s.Context(), lasts)
	defer cancel()
	var latencies []time.Duration
	var group sync.WaitGroup
	group.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			e.looks++
			if a := looker.do("GET", paths[i%len(paths)], ""); a.err != nil || a.status != http.StatusOK {
				e.unreachable++
			}
			pause(ctx, 100*time.Millisecond)
		}
	})
	for i := 0; ctx.Err() == nil; i++ {
		a := ask(i)
		e.count.add(a)
		if a.err != nil || a.status != http.StatusOK {
			e.refused++
		} else {
			latencies = append(latencies, a.took)
		}
		pause(ctx, 8*time.Millisecond)
	}
	group.Wait()
	if len(latencies) > 0 {
		e.p99 = quantile(latencies, 0.99)
	}
	return e
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// smuggled sends requests with two lengths or none that can be trusted. A second
// request hides in the body of each: it must never be answered.
func smuggled(s *scene) {
	g := s.gateway()
	hidden := "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 33\r\n\r\n" + `{"input":"hidden","user":"hidden"}`
	bad := 0
	for name, head := range map[string]string{
		"two lengths":            "Content-Length: 0\r\nContent-Length: 5\r\n",
		"length and chunks":      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"chunks in disguise":     "Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n",
		"chunked twice":          "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
		"a length with a plus":   "Content-Length: +5\r\n",
		"a space before a colon": "Content-Length : 5\r\n",
		"a folded header":        "X-A: b\r\n Content-Length: 5\r\n",
		"a negative length":      "Content-Length: -1\r\n",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(g.base, "http://"))
		if err != nil {
			s.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(3 * time.Second))                                                                                         //nolint:errcheck // it is a real connection
		fmt.Fprintf(c, "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\n0\r\n\r\n%s", head, hidden) //nolint:errcheck // the answer tells
		in := bufio.NewReader(c)
		if a := readAnswer(in); a.err == nil && a.status < 400 {
			bad++
			s.fell("%s: status %d", name, a.status)
		}
		if a := readAnswer(in); a.err == nil && a.status == http.StatusOK {
			bad++
			s.fell("%s: the hidden request was answered", name)
		}
		c.Close()
	}
	s.note("%d of 8 let through", bad)
}

// lockout asks without a key from two addresses, as often whatever is answered, while a
// client with a key asks from a third.
func lockout(s *scene) {
	_, keys := s.key()
	p := s.gateway("--keys", keys, "--rate", "0", "--budget", "1e6")
	const rate = 4000
	all := s.many(8*rate, rate)
	var group sync.WaitGroup
	strangers := []*caller{from("127.0.0.2", p.base), from("127.0.0.3", p.base)}
	under := make(chan struct{}, 2*rate) // so many at a time, at most
	group.Go(func() {
		began := time.Now()
		for i := range all {
			time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / rate)))
			under <- struct{}{}
			group.Go(func() {
				strangers[i%2].embed("mallory", "a text")
				<-under
			})
		}
	})
	c := from("127.0.0.1", p.base)
	c.key, c.Timeout = s.keyOf(p), 5*time.Second
	n := s.many(80, 20)
	answered, ready := 0, 0
	for i := range n {
		time.Sleep(time.Duration(all) * time.Second / rate / time.Duration(2*n))
		if c.embed("", fmt.Sprint("text ", i)).status == http.StatusOK {
			answered++
		}
		if c.do("GET", "/readyz", "").status == http.StatusOK {
			ready++
		}
	}
	group.Wait()
	s.judge(100*answered >= 95*n, "%d of %d with a key are answered", answered, n)
	s.judge(100*ready >= 95*n, "ready %d of %d times", ready, n)
}

// halves takes all connections of a gateway with requests that do not come to their end,
// from two addresses, while a client with a key calls from a third and from one of those.
func halves(s *scene) {
	_, keys := s.key()
	for _, begin := range []string{
		"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nX-Long: ",
		"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
	} {
		places := s.many(4096, 64)
		p := s.gateway("--keys", keys, "--rate", "0", "--budget", "1e6", "--connections", fmt.Sprint(places))
		end := s.swarm(hostility{N: places + places/10, Addresses: 2, Begin: []byte(begin), Drip: []byte("x"), Kind: slow, Base: p.base})
		time.Sleep(time.Second) // for all of them to be there
		n, answered, ready := s.many(80, 20), 0, 0
		for i := range n {
			ip := "127.0.0.1"
			if i%4 == 0 {
				ip = addressOf(0, 2)
			}
			c := from(ip, p.base)
			c.key, c.Timeout = s.keyOf(p), 5*time.Second
			if c.embed("", fmt.Sprint("text ", i)).status == http.StatusOK {
				answered++
			}
			c.CloseIdleConnections()
			if from("127.0.0.1", p.base).ready("/readyz") {
				ready++
			}
		}
		end()
		p.kill()
		s.judge(100*answered >= 95*n, "%d of %d with a key are answered", answered, n)
		s.judge(100*ready >= 95*n, "ready %d of %d times", ready, n)
	}
}
