//go:build linux

package fortress_test

import (
	wire "encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// talk is what a client says on one connection: requests that are whole, each of
// which is owed one answer, or bytes that need not be requests at all.
type talk struct {
	requests []said
	broken   []byte // instead of requests
}

// said is one request over HTTP/1.1 whose length can be known.
type said struct {
	method string
	bytes  []byte
	payer  string // whose spends are counted; "" for nobody
}

// grammar draws requests. The same seed and number give the same.
type grammar struct {
	*rand.Rand
	key    string   // that is taken; "" for none
	marker string   // in texts, so that they are found where they must not be
	canary string   // a file that a program named in a request would make
	paths  []string // with the method before each
	bodies []func(*grammar) string
	paying bool // of embeddings, to be counted
	broken bool // nothing is asked whose answer cannot be read without its request
}

func (g *grammar) one(of ...string) string { return of[g.IntN(len(of))] }

func (g *grammar) often(percent int) bool { return g.IntN(100) < percent }

// text is one of few, so that a ledger stays small and repeats come.
func (g *grammar) text() string { return fmt.Sprintf("%s %d words of mine", g.marker, g.IntN(400)) }

// oddStrings are JSON strings that are hard to read, to print or to believe.
func (g *grammar) oddString() string {
	switch g.IntN(12) {
	case 0:
		return `"\ud800"`
	case 1:
		return `"\u0000\u001b[31m\u202e"`
	case 2:
		return "\"\xff\xfe\""
	case 3:
		return `"` + strings.Repeat(g.one("x", "é", "\\u00e9", "\\\\"), g.IntN(5000)) + `"`
	case 4:
		return "\"a\nb\""
	case 5:
		return `"\q"`
	case 6:
		return strconv.Quote("command:touch " + g.canary)
	case 7:
		return `"endpoint:http://127.0.0.1:1/?key=PGPASSWORD"`
	case 8:
		return strconv.Quote(g.one("../../../../etc/passwd", "/dev/zero", "file:///etc/passwd", "-", "--help", "%s%n", "NaN", "true"))
	case 9:
		return `""`
	case 10:
		return `"` + g.marker
	default:
		return strconv.Quote(g.text())
	}
}

// value is any JSON, or almost.
func (g *grammar) value(deep int) string {
	n := 9
	if deep <= 0 {
		n = 6
	}
	switch g.IntN(n) {
	case 0:
		return g.one("null", "true", "false", "nul", "True")
	case 1:
		return g.one("0", "-0", "1", "-1", "8", "1e309", "1e-400", "18446744073709551616", "9007199254740993", "0.1", "01", ".5", "+1", "NaN", "1e", "0x10", "-")
	case 2, 3, 4, 5:
		return g.oddString()
	case 6:
		var all []string
		for range g.IntN(5) {
			all = append(all, g.value(deep-1))
		}
		return "[" + strings.Join(all, ",") + g.one("", "", "", ",") + "]"
	case 7:
		var all []string
		for range g.IntN(4) {
			all = append(all, strconv.Quote(g.one("input", "user", "a", "", "data", "name"))+":"+g.value(deep-1))
		}
		return "{" + strings.Join(all, ",") + "}"
	default:
		return strings.Repeat(g.one("[", `{"a":`), 1+g.IntN(400))
	}
}

// object writes fields, of which some may be made odd.
func (g *grammar) object(odd bool, fields ...string) string {
	var all []string
	for i := 0; i+1 < len(fields); i += 2 {
		name, value := fields[i], fields[i+1]
		if odd && g.often(20) {
			switch g.IntN(6) {
			case 0, 1, 2:
				value = g.value(4)
			case 3:
				all = append(all, strconv.Quote(name)+":"+g.value(2)) // and once more below
			case 4:
				name = g.one(strings.ToUpper(name), name+"\u0000", " "+name, "unknown")
			default:
				continue
			}
		}
		all = append(all, strconv.Quote(name)+":"+value)
	}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	s := "{" + strings.Join(all, g.one(",", ", ", ",\n")) + "}"
	if odd && g.often(15) {
		s = string(g.mutate([]byte(s), 1+g.IntN(3)))
	}
	return s
}

// embedding asks for releases, wrongly as a rule where odd.
func (g *grammar) embedding(user string, odd bool) string {
	input := strconv.Quote(g.text())
	if g.often(50) {
		all := []string{input}
		for range g.IntN(4) {
			all = append(all, strconv.Quote(g.text()))
		}
		input = "[" + strings.Join(all, ",") + "]"
	}
	fields := []string{"input", input, "user", strconv.Quote(user)}
	if g.often(30) {
		fields = append(fields, "encoding_format", g.one(`"float"`, `"base64"`))
	}
	if g.often(20) {
		fields = append(fields, "model", `"sotto"`)
	}
	return g.object(odd, fields...)
}

// inference asks a server for classes of vectors, with as many numbers as the shape says
// or not.
func (g *grammar) inference() string {
	rows := 1 + g.IntN(4)
	n := 4 * rows
	if g.often(10) {
		n = g.IntN(40)
	}
	data := make([]string, n)
	for i := range data {
		data[i] = g.one("0", "0.25", "-1.5", "3e8", "1e-30", strconv.FormatFloat(g.NormFloat64(), 'g', -1, 32))
		if g.often(1) {
			data[i] = g.value(1)
		}
	}
	shape := fmt.Sprintf("[%d,4]", rows)
	if g.often(10) {
		shape = g.one("[4]", "[-1,4]", "[1,4,1]", "[]", "[9223372036854775807,4]", "[0,4]", "[4294967296,4294967296]", g.value(2))
	}
	input := g.object(g.often(30), "name", `"vector"`, "datatype", g.one(`"FP32"`, `"FP32"`, `"FP32"`, `"FP64"`, `"BYTES"`, `"INT64"`), "shape", shape, "data", "["+strings.Join(data, ",")+"]")
	privacy := g.object(g.often(20), "unit", `"text"`, "epsilon", g.one("8", "8", "8", "1", "1e309", "-1"), "delta", "0")
	fields := []string{"id", `"` + strconv.Itoa(g.IntN(100)) + `"`, "parameters", g.object(g.often(20), "sotto_privacy", privacy), "inputs", "[" + input + "]"}
	if g.often(20) {
		fields = append(fields, "outputs", "["+g.object(g.often(40), "name", g.one(`"class"`, `"scores"`, `"none"`), "parameters", g.object(false, "binary_data", g.one("true", "false", "7")))+"]")
	}
	return g.object(g.often(40), fields...)
}

// mutate changes a few places of bytes.
func (g *grammar) mutate(b []byte, times int) []byte {
	b = append([]byte(nil), b...)
	tokens := []string{"\r\n", "\n", "\x00", " ", ":", "\xff", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "\r\n\r\n", "HTTP/1.1", "GET / HTTP/1.1\r\n", "ffffffffffffffff\r\n", "0\r\n\r\n", "[[[[", `"`, `\u`, "{", "}", "-", "1e999", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}
	for range times {
		if len(b) == 0 {
			return []byte(g.one(tokens...))
		}
		i := g.IntN(len(b))
		j := min(len(b), i+1+g.IntN(16))
		switch g.IntN(6) {
		case 0:
			b[i] ^= 1 << g.IntN(8)
		case 1:
			b = append(b[:i], b[j:]...)
		case 2:
			b = append(b[:i], append([]byte(g.one(tokens...)), b[i:]...)...)
		case 3:
			b = append(b[:j], append(append([]byte(nil), b[i:j]...), b[j:]...)...)
		case 4:
			b[i] = byte(g.IntN(256))
		default:
			if g.often(20) {
				b = b[:i]
			}
		}
	}
	return b
}

// talk draws what is said on one connection.
func (g *grammar) talk(payer func(*grammar) string) talk {
	var t talk
	if g.broken = g.often(40); g.broken {
		payer = func(*grammar) string { return "other-0" } // nobody counts what it comes to pay
	}
	for range 1 + g.IntN(4) {
		t.requests = append(t.requests, g.request(payer))
	}
	if g.broken {
		var all []byte
		for _, r := range t.requests {
			all = append(all, r.bytes...)
		}
		t.broken = g.mutate(all, 1+g.IntN(6))
	}
	return t
}

// request draws one whose framing is right, whatever else is wrong with it.
func (g *grammar) request(payer func(*grammar) string) said {
	if g.paying && g.often(40) {
		user := payer(g)
		return said{"POST", g.framed("POST", "/v1/embeddings", g.embedding(user, false), "Host: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "+g.key+"\r\n"), user}
	}
	method, path, _ := strings.Cut(g.one(g.paths...), " ")
	if g.often(10) {
		method = g.one("POST", "GET", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH", "TRACE", "QUERY")
	}
	if method == "HEAD" && g.broken {
		method = "GET"
	}
	if g.often(10) {
		path += g.one("?a=b", "?user=%zz", "?user=x;y", "/", "/..%2f..", "?"+strings.Repeat("a=1&", 200), "//", "/%00", "?name=..%2F..%2Fx.csv", "#x")
	}
	body := ""
	if method != "GET" && method != "HEAD" || g.often(5) {
		body = g.bodies[g.IntN(len(g.bodies))](g)
	}
	var h strings.Builder
	h.WriteString("Host: " + g.one("localhost", "localhost", "localhost", "localhost", "localhost", "localhost", "127.0.0.1", "evil.example", "localhost:80", "[::1]") + "\r\n")
	h.WriteString("Content-Type: " + g.one("application/json", "application/json", "application/json", "application/json; charset=utf-8", "text/plain", "multipart/form-data", "application/octet-stream", "", ";;;") + "\r\n")
	if g.key != "" && g.often(85) {
		h.WriteString("Authorization: " + g.one("Bearer ", "Bearer ", "Bearer ", "bearer ", "Basic ", "") + g.key + g.one("", "", "", "", "x") + "\r\n")
	}
	for range g.IntN(3) {
		h.WriteString(g.one(
			"Idempotency-Key: "+strconv.Itoa(g.IntN(50)), "Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin",
			"Accept-Encoding: gzip", "Content-Encoding: gzip", "Range: bytes=0-1", "Cookie: a="+g.marker, "X-Forwarded-For: 10.0.0.1", "X-Odd: "+strings.Repeat("y", g.IntN(3000)),
			"Inference-Header-Content-Length: "+g.one("0", "1", "-1", "10", "99999999999999999999", strconv.Itoa(len(body))), "If-None-Match: *", "TE: trailers", "X-"+g.marker+": 1", "Accept: */*;q=NaN",
		) + "\r\n")
	}
	return said{method, g.framed(method, path, body, h.String()), ""}
}

// framed writes a request with a length, or in chunks.
func (g *grammar) framed(method, path, body, headers string) []byte {
	head := method + " " + path + " HTTP/1.1\r\n" + headers
	if body == "" && (method == "GET" || method == "HEAD") {
		return []byte(head + "\r\n")
	}
	if g.often(75) {
		return []byte(head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	}
	var b strings.Builder
	b.WriteString(head + "Transfer-Encoding: chunked\r\n\r\n")
	for len(body) > 0 {
		n := min(len(body), 1+g.IntN(200))
		fmt.Fprintf(&b, "%x%s\r\n%s\r\n", n, g.one("", "", ";a=b"), body[:n])
		body = body[n:]
	}
	b.WriteString("0\r\n" + g.one("", "", "X-Trailer: 1\r\n") + "\r\n")
	return []byte(b.String())
}

// message draws one of gRPC behind its length, for the method of a path.
func (g *grammar) message() []byte {
	field := func(n int, body []byte) []byte {
		b := wire.AppendUvarint(nil, uint64(n)<<3|2)
		return append(wire.AppendUvarint(b, uint64(len(body))), body...)
	}
	number := func(n int, v uint64) []byte { return wire.AppendUvarint(wire.AppendUvarint(nil, uint64(n)<<3), v) }
	var floats, contents []byte
	rows := 1 + g.IntN(3)
	for range 4 * rows {
		floats = wire.LittleEndian.AppendUint32(floats, g.Uint32()&0xbfffffff)
	}
	contents = field(g.one6(), floats)
	shape := append(number(3, uint64(rows)), number(3, 4)...)
	tensor := append(append(append(field(1, []byte("vector")), field(2, []byte(g.one("FP32", "FP32", "BYTES")))...), shape...), field(5, contents)...)
	privacy := field(4, append(field(1, []byte("sotto_privacy")), field(2, field(3, []byte(`{"unit":"text","epsilon":8,"delta":0}`)))...))
	all := append(append(append(field(1, []byte(g.one("good", "good", "bad"))), privacy...), field(5, tensor)...), number(g.IntN(20), g.Uint64())...)
	if g.often(30) {
		all = append(all, field(7, floats)...)
	}
	if g.often(50) {
		all = g.mutate(all, 1+g.IntN(5))
	}
	if g.often(20) {
		all = field(1, []byte("good"))
	}
	framed := append(wire.BigEndian.AppendUint32([]byte{0}, uint32(len(all))), all...)
	if g.often(15) {
		framed = g.mutate(framed, 1)
	}
	return framed
}

// one6 is the number of the field of floats, as a rule.
func (g *grammar) one6() int {
	if g.often(90) {
		return 6
	}
	return 1 + g.IntN(8)
}

// frames draws frames of HTTP/2, in an order that may make no sense, behind a preface as a
// rule.
func (g *grammar) frames(path string) []byte {
	var b strings.Builder
	b.WriteString(preface)
	name := func(s string) string { return string(rune(len(s)&0x7f)) + s }
	headers := func() string {
		h := "\x83" + g.one("\x86", "\x87") + "\x04" + string(byte(len(path))) + path + "\x01\x09localhost" + "\x0f\x10\x10application/grpc"
		for range g.IntN(3) {
			h += "\x00" + name(g.one("te", "x-odd", "Upper", ":late", "connection", "grpc-timeout", "")) + name(g.one("trailers", "1", strings.Repeat("v", g.IntN(100)), g.marker))
		}
		if g.often(10) {
			h = string(g.mutate([]byte(h), 2))
		}
		return h
	}
	stream := uint32(1)
	for range 1 + g.IntN(12) {
		id := stream
		if g.often(15) {
			id = uint32(g.IntN(9))
		}
		flags := byte(g.IntN(64))
		switch g.IntN(12) {
		case 0, 1, 2, 3:
			b.WriteString(frame(1, 4|flags&1, stream, headers()))
			b.WriteString(frame(0, flags&1, stream, string(g.message())))
			stream += 2
		case 4:
			b.WriteString(frame(0, flags&9, id, string(g.message())))
		case 5:
			b.WriteString(frame(3, 0, id, g.one("\x00\x00\x00\x08", "", "abc")))
		case 6:
			b.WriteString(frame(4, flags&1, 0, g.one("", "\x00\x03\x00\x00\x00\x00", "\x00\x04\xff\xff\xff\xff", "\x00\x05\x00\x00\x00\x01", "abc")))
		case 7:
			b.WriteString(frame(6, flags&1, 0, g.one("12345678", "123")))
		case 8:
			b.WriteString(frame(7, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x00"+g.marker))
		case 9:
			b.WriteString(frame(8, 0, id, g.one("\x00\x00\x00\x01", "\x7f\xff\xff\xff", "\x00\x00\x00\x00")))
		case 10:
			b.WriteString(frame(9, flags&4, id, headers()))
		default:
			b.WriteString(frame(byte(g.IntN(256)), flags, id, g.one("", g.marker, strings.Repeat("z", 17000))))
		}
	}
	if g.often(40) {
		return g.mutate([]byte(b.String()), 1+g.IntN(4))
	}
	return []byte(b.String())
}
