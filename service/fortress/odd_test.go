//go:build linux

package fortress_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

var oddities = []attack{
	{"thousands of paths and methods", "the number of metrics does not grow with them", cardinality},
	{"line feeds and codes of terminals in names", "a line of the log a request, each JSON; nothing of a request in it", logLines},
	{"a compressed request", "refused, and not unpacked", compressedBody},
	{"paths that climb and odd methods", "none reaches a file or a fault", oddPaths},
}

// cardinality asks for ever new paths with ever new methods.
func cardinality(s *scene) {
	for _, p := range []*process{s.gateway(), s.serve()} {
		c := from("127.0.0.1", p.base)
		lines := func() int { return bytes.Count(c.do("GET", "/metrics", "").body, []byte("\n")) }
		ask := func(i int) {
			c.do(fmt.Sprintf("M%d", i), fmt.Sprintf("/v1/path%d", i), "")
			c.do("GET", fmt.Sprintf("/v2/models/model%d/versions/%d", i, i), "")
		}
		ask(0)
		lines() // which is counted, too
		before := lines()
		n := s.many(1000, 50)
		for i := range n {
			ask(i)
		}
		after := lines()
		s.judge(before > 0 && after <= before+10, "%d lines before and %d after %d names", before, after, 2*n)
	}
}

func logLines(s *scene) {
	g := s.gateway("--page")
	c := from("127.0.0.1", g.base)
	mark := "quetzalcoatl"
	before := strings.Count(g.said.String(), `"msg":"request"`)
	sent := 0
	for _, evil := range []string{"\n{\"level\":\"ERROR\",\"msg\":\"request\"}", "\r\n", "\x1b[2J", "\u202e", "\x00", "\u2028", strings.Repeat("x", 5000)} {
		c.embed(mark+evil, mark+evil)
		c.do("GET", "/v1/budget?user="+mark+"%0a%7b%22msg%22:%22request%22%7d", "")
		c.do("GET", "/"+mark+"%0a%1b", "")
		c.do("POST", "/v1/embeddings", `{"`+mark+`": 1}`)
		c.do("POST", "/v1/embeddings", `{"input": "x"}`, "Content-Type", "application/"+mark)
		c.do("GET", "/healthz", "", "User-Agent", mark, "Referer", mark, "X-Request-Id", mark, "Authorization", "Bearer "+mark)
		sent += 6
	}
	time.Sleep(200 * time.Millisecond)
	said := g.said.String()
	bad, quoted := 0, strings.Count(said, mark)
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "{") && !json.Valid([]byte(line)) {
			bad++
		}
	}
	got := strings.Count(said, `"msg":"request"`) - before
	s.judge(got <= sent && bad == 0, "%d lines for %d requests, %d of them no JSON", got, sent, bad)
	s.judge(quoted == 0, "%d times something of a request", quoted)
}

// zipped packs a text by gzip. What is packed several times, one after the other, unpacks
// to as many texts, so that a bomb takes as long to make as a part of it.
func zipped(s *scene, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		s.Fatal(err)
	}
	if err := z.Close(); err != nil {
		s.Fatal(err)
	}
	return b.Bytes()
}

func compressedBody(s *scene) {
	bomb := bytes.Repeat(zipped(s, strings.Repeat(" ", 1<<20)), 1000)
	for _, p := range []*process{s.gateway(), s.serve()} {
		c, path := from("127.0.0.1", p.base), "/v1/embeddings"
		if isServe(p) {
			path = "/v2/models/good/infer"
		}
		a := c.do("POST", path, string(bomb), "Content-Encoding", "gzip")
		s.judge(a.err == nil && a.status >= 400 && a.status < 500 && p.peak() < 128, "%d KiB for 1,000 MiB: %v, %d MiB", len(bomb)>>10, a, p.peak())
	}
}

func oddPaths(s *scene) {
	for _, p := range []*process{s.gateway("--page"), s.serve()} {
		c := from("127.0.0.1", p.base)
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		bad, tried := 0, 0
		for _, path := range []string{
			"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/v1/%00", "/v1/budget?user=%00", "/v1/budget?user=%ff", "/v1/budget?user=a&user=b",
			"/v1/budget?%zz", "/v1/embeddings/", "/v1//embeddings", "/v2/models/..%2f..%2fetc", "/v2/models/good/../good", "/v2/models/%2e%2e/infer", "/debug/pprof/", "/debug/vars",
		} {
			for _, method := range []string{"GET", "POST", "HEAD", "PUT", "DELETE", "TRACE", "CONNECT", "PROPFIND"} {
				tried++
				a := c.do(method, path, "")
				if a.err != nil && method != "CONNECT" || a.status >= 500 && a.status != http.StatusNotImplemented || bytes.Contains(a.body, []byte("root:")) {
					bad++
					s.fell("%s %s: %v", method, path, a)
				}
			}
		}
		s.judge(bad == 0 && p.alive(), "%d of %d", bad, tried)
	}
}
