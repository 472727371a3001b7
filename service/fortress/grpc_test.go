//go:build linux

package fortress_test

import (
	wire "encoding/binary"
	"net/http"
	"regexp"
	"strings"
	"time"
)

var calls = []attack{
	{"gRPC: every stream of 1,000 connections left open", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.underCalls(s.many(1000, 50), 1000, opened(64, false), "")
	}},
	{"gRPC: streams opened and reset without end", "below 512 MiB; SIGTERM ends it; p99 is not promised", func(s *scene) {
		s.slowly = true
		s.underCalls(s.many(400, 20), 400, opened(2000, true), "")
	}},
	{"gRPC: headers that never end", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.underCalls(s.many(400, 20), 400, preface+frame(1, 0, 1, header)+strings.Repeat(frame(9, 0, 1, "\x00\x01a\x7f\x81\x1e"+strings.Repeat("b", 4000)), 200), frame(9, 0, 1, "\x00\x01a\x01b"))
	}},
	{"gRPC: messages of 8 MiB that come slowly", "below 512 MiB; honest p99 at most 3 times its quiet value", func(s *scene) {
		s.underCalls(s.many(1000, 50), 1000, opened(4, false)+frame(0, 0, 1, "\x00\x00\x7f\xff\xff"+strings.Repeat("x", 16000)), frame(0, 0, 1, "x"))
	}},
	{"gRPC: a stream without a body on each of 140 connections, from two addresses", "95 % of honest calls, each on its own connection, are answered within 5 s; HTTP is ready", emptyStreams},
	{"gRPC: pings and settings without end", "below 512 MiB; SIGTERM ends it; p99 is not promised", func(s *scene) {
		s.slowly = true
		s.underCalls(s.many(400, 20), 400, preface+strings.Repeat(frame(6, 0, 0, "12345678")+frame(4, 0, 0, ""), 20_000), frame(6, 0, 0, "12345678"))
	}},
}

// preface is how a connection of HTTP/2 begins.
var preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "")

// header is that of a call, compressed as HPACK has it, without an index.
const header = "\x83\x86\x04\x2a/inference.GRPCInferenceService/ModelInfer\x01\x09localhost\x0f\x10\x10application/grpc\x00\x02te\x08trailers"

// frame is a frame of HTTP/2.
func frame(kind, flags byte, stream uint32, body string) string {
	b := wire.BigEndian.AppendUint32(nil, uint32(len(body)))[1:]
	b = append(b, kind, flags)
	return string(wire.BigEndian.AppendUint32(b, stream)) + body
}

// opened begins a connection with as many calls, of which no message comes, each of
// them reset at once or left open.
func opened(n int, reset bool) string {
	var b strings.Builder
	b.WriteString(preface)
	for i := range uint32(n) {
		b.WriteString(frame(1, 4, 2*i+1, header))
		if reset {
			b.WriteString(frame(3, 0, 2*i+1, "\x00\x00\x00\x08"))
		}
	}
	return b.String()
}

var called = regexp.MustCompile(`"grpc":"(?:https?://)?(127\.0\.0\.1:[0-9]+)"`)

// underCalls attacks a server where it answers gRPC; the honest client asks by
// HTTP, of the same places and memory.
func (s *scene) underCalls(n, addresses int, begin, drip string) {
	s.Helper()
	p := s.serve("--grpc-listen", "127.0.0.1:0")
	m := called.FindStringSubmatch(p.said.String())
	if m == nil {
		s.Fatalf("it does not say where it answers gRPC: %s", p.said.String())
	}
	s.underAt(p, "http://"+m[1], slow, n, addresses, begin, drip)
	time.Sleep(100 * time.Millisecond)
	_, killed := p.end(answered)
	s.judge(!killed && exitCode(p.err) == 0, "SIGTERM ends it: %v", !killed)
}

// emptyStreams takes all connections of gRPC with calls of which nothing more comes, while
// others call, from an address of theirs and from one of the attacker's.
func emptyStreams(s *scene) {
	p := s.serve("--grpc-listen", "127.0.0.1:0")
	m := called.FindStringSubmatch(p.said.String())
	if m == nil {
		s.Fatalf("it does not say where it answers gRPC: %s", p.said.String())
	}
	end := s.swarm(hostility{N: 140, Addresses: 2, Begin: []byte(opened(1, false)), Kind: slow, Base: "http://" + m[1]})
	time.Sleep(time.Second) // for all of them to be there
	n, answered, ready := s.many(400, 40), 0, 0
	for i := range n {
		ip := "127.0.0.1"
		if i%4 == 0 {
			ip = addressOf(0, 2)
		}
		c := from(ip, "http://"+m[1])
		c.Timeout = 5 * time.Second
		c.Transport.(*http.Transport).Protocols = new(http.Protocols)
		c.Transport.(*http.Transport).Protocols.SetUnencryptedHTTP2(true)
		if a := c.do("POST", "/inference.GRPCInferenceService/ServerLive", "\x00\x00\x00\x00\x00", "Content-Type", "application/grpc", "Te", "trailers"); a.status == http.StatusOK && len(a.body) > 5 {
			answered++
		}
		c.CloseIdleConnections()
		if from("127.0.0.1", p.base).ready("/v2/health/ready") {
			ready++
		}
		time.Sleep(5 * time.Millisecond)
	}
	end()
	s.judge(100*answered >= 95*n, "%d of %d calls are answered", answered, n)
	s.judge(ready == n, "ready %d of %d times", ready, n)
}
