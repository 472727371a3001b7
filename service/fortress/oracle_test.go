//go:build linux

package fortress_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"sotto/promise/dp/dptest"
)

var oracles = []attack{
	{"a refused request says which texts were known", "asked is the ε of all texts; answers differ in nothing", overBudget},
	{"repeats without end", "repeats are refused with 429 at the default rate", repeats},
	{"made-up users", "names without end take no memory without end", inventedUsers},
	{"time of a repeat against a first request", "nothing is promised", timing},
}

// overBudget compares the refusals of two users of whom one has paid for a text of
// the request before. Of a body everything must agree.
func overBudget(s *scene) {
	g := s.gateway(append(whole, "--budget", "16", "--rate", "0")...)
	c := from("127.0.0.1", g.base)
	if a := c.embed("knows", "a"); a.status != http.StatusOK {
		s.Fatal(a)
	}
	if a := c.embed("knows-not", "z"); a.status != http.StatusOK {
		s.Fatal(a)
	}
	knows, not := c.embed("knows", "a", "b", "c"), c.embed("knows-not", "a", "b", "c")
	if knows.status != http.StatusForbidden || not.status != http.StatusForbidden {
		s.Fatalf("%v and %v, want two refusals", knows, not)
	}
	asked := [2]any{knows.field("error", "asked"), not.field("error", "asked")}
	same := string(knows.body) == string(not.body)
	s.judge(same && asked[0] == 24.0 && asked[1] == 24.0, "asked is %v with a known text and %v without, answers alike: %v", asked[0], asked[1], same)
}

// repeats asks for one text again and again, which costs nothing.
func repeats(s *scene) {
	g := s.gateway()
	c := from("127.0.0.1", g.base)
	count := tally{}
	began := time.Now()
	n := s.many(3000, 700)
	for range n {
		count.add(c.embed("alice", "the same text"))
	}
	took := time.Since(began)
	s.judge(count["429"] > 0 && count["200"] > 0, "%v in %.1f s", count, took.Seconds())
	free := s.gateway("--rate", "0")
	c, count = from("127.0.0.1", free.base), tally{}
	for range 200 {
		count.add(c.embed("alice", "the same text"))
	}
	s.judge(count["200"] == 200, "with --rate 0 %v", count)
}

// inventedUsers names another user in each request, which must not fill the memory
// of what is kept of users.
func inventedUsers(s *scene) {
	g := s.gateway()
	c := from("127.0.0.1", g.base)
	n := s.many(100_000, dptest.Count(s, 1_000, 5_000))
	name := strings.Repeat("n", 200)
	count := crowd(n, func(i int) answer { return c.do("GET", fmt.Sprintf("/v1/budget?user=%s%d", name, i), "") })
	s.judge(g.alive() && g.peak() < 512, "%d users asked for, %v; at most %d MiB", n, count, g.peak())
}

// crowd asks n times, a few at a time, and counts the answers.
func crowd(n int, ask func(i int) answer) tally {
	count := tally{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := w; i < n; i += 8 {
				a := ask(i)
				mu.Lock()
				count.add(a)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return count
}

// timing measures what the time of an answer tells of whether a text was asked for
// before. No control hides it: whoever may ask as a user learns it from the price
// in any case.
func timing(s *scene) {
	s.state()
	g := s.gateway("--budget", "1e6", "--rate", "0")
	c := from("127.0.0.1", g.base)
	n := s.many(400, 40)
	var first, again []time.Duration
	for i := range n {
		text := fmt.Sprint("a text of some length that nobody has asked for ", i)
		first = append(first, c.embed("alice", text).took)
		again = append(again, c.embed("alice", text).took)
	}
	right := 0
	at := median(slices.Concat(first, again))
	for i := range n {
		if first[i] > at {
			right++
		}
		if again[i] <= at {
			right++
		}
	}
	s.note("median %v the first time and %v again: a guess by time is right in %.0f %%", median(first).Round(time.Microsecond), median(again).Round(time.Microsecond), 50*float64(right)/float64(n))
}

func median(d []time.Duration) time.Duration { return quantile(d, 0.5) }

func quantile(d []time.Duration, share float64) time.Duration {
	if len(d) == 0 {
		return time.Hour
	}
	d = slices.Sorted(slices.Values(d))
	return d[int(share*float64(len(d)-1))]
}

var rebindings = []attack{
	{"a foreign name for this machine (DNS rebinding)", "every /v1 request under a foreign Host is refused", foreignHost},
	{"a page of another site", "every request from a foreign Origin is refused", foreignOrigin},
	{"a preflight of another site", "no answer allows another origin", preflight},
}

// askedByPages are what a page in a browser could ask for.
func askedByPages(c *caller, headers ...string) map[string]answer {
	text := `{"input": "a sentence that somebody typed", "user": "alice"}`
	return map[string]answer{
		"embeddings": c.do("POST", "/v1/embeddings", text, headers...),
		"classify":   c.do("POST", "/v1/classify", text, headers...),
		"budget":     c.do("GET", "/v1/budget?user=alice", "", headers...),
		"models":     c.do("GET", "/v1/models", "", headers...),
	}
}

func foreignHost(s *scene) {
	g := s.gateway()
	c := from("127.0.0.1", g.base)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(g.base, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	var open []string
	hosts := []string{
		"evil.example", "evil.example:" + port, "127.0.0.1.evil.example:" + port, "localhost.evil.example", "evil.example:80", "0.0.0.0:" + port,
		"127.0.0.1:" + port + ".evil.example", "192.168.1.7:" + port, "localhost.:" + port + ".evil.example", "xn--lcalhost-n6a:" + port,
	}
	tried := 0
	for _, host := range hosts {
		for _, site := range []string{"", "same-origin", "none"} {
			headers := []string{"Host", host}
			if site != "" {
				headers = append(headers, "Sec-Fetch-Site", site, "Origin", "http://"+host)
			}
			for what, a := range askedByPages(c, headers...) {
				tried++
				if a.err == nil && a.status < 400 || a.status == http.StatusNotImplemented {
					open = append(open, fmt.Sprintf("%s as %s", what, host))
				}
			}
		}
	}
	slices.Sort(open)
	open = slices.Compact(open)
	s.judge(len(open) == 0, "%d of %d requests let in%s", len(open), tried, example(open))
	for _, host := range []string{"localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port, "localhost"} {
		if a := c.do("POST", "/v1/embeddings", `{"input": "honest", "user": "alice"}`, "Host", host); a.status != http.StatusOK {
			s.fell("as %s: %v, want an answer", host, a)
		}
	}
}

// example shows the first of a list.
func example(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return ", such as " + list[0]
}

func foreignOrigin(s *scene) {
	g := s.gateway()
	c := from("127.0.0.1", g.base)
	var open []string
	tried := 0
	for _, headers := range [][]string{
		{"Origin", "http://evil.example"},
		{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
		{"Origin", "null"},
		{"Origin", "null", "Sec-Fetch-Site", "cross-site"},
		{"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site"},
		{"Origin", "http://localhost.evil.example"},
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
	} {
		for what, a := range askedByPages(c, headers...) {
			tried++
			if a.err == nil && a.status < 400 || a.status == http.StatusNotImplemented {
				open = append(open, what+" with "+strings.Join(headers, " "))
			}
		}
	}
	slices.Sort(open)
	s.judge(len(open) == 0, "%d of %d requests let in%s", len(open), tried, example(open))
}

func preflight(s *scene) {
	g := s.gateway()
	c := from("127.0.0.1", g.base)
	for _, path := range []string{"/v1/embeddings", "/v1/budget", "/metrics", "/"} {
		a := c.do("OPTIONS", path, "", "Origin", "http://evil.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
		for name := range a.header {
			if strings.HasPrefix(name, "Access-Control") {
				s.fell("%s: %s: %s", path, name, a.header.Get(name))
			}
		}
		if a.err == nil && a.status < 300 {
			s.fell("%s: status %d", path, a.status)
		}
	}
	s.note("none")
}

// texts is a list of so many texts as JSON.
func texts(n int, text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return "[" + strings.TrimSuffix(strings.Repeat(string(quoted)+",", n), ",") + "]"
}
