package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"sotto/service/httpserve/servetest"
	"sotto/service/server"
	"sotto/service/server/kserve"
)

// caller calls a server over HTTP/2 as gRPC does, in the bytes themselves. Package
// integration has a client of others.
type caller struct {
	address string
	http    *http.Client
}

// calls starts a server and returns a caller.
func calls(t testing.TB, c server.Config) (caller, func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.GRPC = l
	s, err := server.New(c)
	if err != nil {
		t.Fatal(err)
	}
	_, end := servetest.Start(t, s.Serve)
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return caller{"http://" + l.Addr().String(), &http.Client{Transport: transport}}, end
}

// answered is what a call was answered with.
type answered struct {
	status, code string // of gRPC, and of the server's own
	message      []byte
}

// framed puts a message behind its length.
func framed(message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
}

func (c caller) call(t testing.TB, method string, message []byte) answered {
	t.Helper()
	return c.send(t, method, bytes.NewReader(framed(message)))
}

func (c caller) send(t testing.TB, method string, body io.Reader, headers ...string) answered {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", c.address+method, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Te", "trailers")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		return answered{status: fmt.Sprint("HTTP ", res.StatusCode), message: content}
	}
	if status := res.Header.Get("Grpc-Status"); status != "" { // of an error
		return answered{status, res.Header.Get("Sotto-Code"), content}
	}
	if len(content) < 5 {
		t.Fatalf("%s: %q is no message", method, content)
	}
	return answered{status: res.Trailer.Get("Grpc-Status"), message: content[5:]}
}

const inferences = "/inference.GRPCInferenceService/"

// text, part and number write fields of a message.
func text(n protowire.Number, s string) []byte { return part(n, []byte(s)) }

func part(n protowire.Number, parts ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), slices.Concat(parts...))
}

func number(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

func floats(values []float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// promise is the parameter of a request's guarantee.
func promise(epsilon string) []byte {
	return part(4, text(1, "sotto_privacy"), part(2, text(3, `{"unit":"text","epsilon":`+epsilon+`}`)))
}

// inferCall is a ModelInferRequest for n rows.
func inferCall(n int, raw bool, more ...[]byte) []byte {
	head := slices.Concat(text(1, "vector"), text(2, "FP32"), part(3, protowire.AppendVarint(protowire.AppendVarint(nil, uint64(n)), width)))
	m := slices.Concat(text(1, modelName), text(3, "42"), promise("4"))
	if raw {
		m = slices.Concat(m, part(5, head), part(7, floats(rows(n))))
	} else {
		m = slices.Concat(m, part(5, head, part(5, part(6, floats(rows(n))))))
	}
	return slices.Concat(append([][]byte{m}, more...)...)
}

// fieldsOf returns the fields of a message that have bytes, by number.
func fieldsOf(t testing.TB, b []byte) map[protowire.Number][][]byte {
	t.Helper()
	all := map[protowire.Number][][]byte{}
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			t.Fatalf("%x is no message", b)
		}
		b = b[size:]
		if kind == protowire.BytesType {
			v, _ := protowire.ConsumeBytes(b)
			all[n] = append(all[n], v)
		}
		if size = protowire.ConsumeFieldValue(n, kind, b); size < 0 {
			t.Fatalf("%x is no field", b)
		}
		b = b[size:]
	}
	return all
}

// TestCallInfer: a call is answered as the same request over HTTP, in the form in
// which it came.
func TestCallInfer(t *testing.T) {
	t.Parallel()
	url, _ := start(t, server.Config{Model: stored})
	body, _ := request(t, 5, fair+`,"binary_data_output":true`, false)
	_, content, h := ask(t, "POST", url+"/v2/models/"+modelName+"/infer", body)
	want, err := kserve.ParseResponse(content, h.Get(kserve.HeaderLength))
	if err != nil {
		t.Fatal(err)
	}
	c, end := calls(t, server.Config{Model: stored})
	for _, raw := range []bool{false, true} {
		a := c.call(t, inferences+"ModelInfer", inferCall(5, raw))
		if a.status != "0" {
			t.Fatalf("raw %v: status %s, %s", raw, a.status, a.code)
		}
		m := fieldsOf(t, a.message)
		if string(m[1][0]) != modelName || string(m[2][0]) != want.ModelVersion || string(m[3][0]) != "42" || len(m[5]) != 2 || raw != (m[6] != nil) {
			t.Errorf("raw %v: %d outputs of %s, %s, %s", raw, len(m[5]), m[1], m[2], m[3])
		}
		for i, o := range want.Outputs {
			got := fieldsOf(t, m[5][i])
			var dims []byte
			for _, d := range o.Shape {
				dims = protowire.AppendVarint(dims, uint64(d))
			}
			if string(got[1][0]) != o.Name || string(got[2][0]) != o.Datatype || !bytes.Equal(got[3][0], dims) {
				t.Errorf("raw %v: output %d is %q", raw, i, got)
			}
			numbers, words := floats(o.Floats), []byte(nil)
			for _, s := range o.Strings {
				words = append(binary.LittleEndian.AppendUint32(words, uint32(len(s))), s...)
			}
			switch {
			case raw && !bytes.Equal(m[6][i], append(numbers, words...)):
				t.Errorf("output %s has raw contents %x, want %x", o.Name, m[6][i], append(numbers, words...))
			case !raw && o.Floats != nil && !bytes.Equal(fieldsOf(t, got[5][0])[6][0], numbers):
				t.Errorf("output %s has other numbers than over HTTP", o.Name)
			case !raw && o.Strings != nil && string(bytes.Join(fieldsOf(t, got[5][0])[8], []byte("|"))) != strings.Join(o.Strings, "|"):
				t.Errorf("output %s has other classes than over HTTP", o.Name)
			}
		}
	}
	// Only what is asked for, of the version that is served.
	a := c.call(t, inferences+"ModelInfer", inferCall(1, false, text(2, want.ModelVersion), part(6, text(1, "class"))))
	if m := fieldsOf(t, a.message); a.status != "0" || len(m[5]) != 1 {
		t.Errorf("one output of a version: status %s, %d outputs", a.status, len(m[5]))
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestCallRefuses: the same is refused as over HTTP, with a status that fits.
func TestCallRefuses(t *testing.T) {
	c, _ := calls(t, server.Config{Model: stored, MaxRows: 4, MaxBody: 1 << 16})
	vector := func(fields ...[]byte) []byte {
		return slices.Concat(text(1, modelName), promise("4"), part(5, text(1, "vector"), slices.Concat(fields...)))
	}
	shaped := func(dims ...uint64) []byte {
		var b []byte
		for _, d := range dims {
			b = protowire.AppendVarint(b, d)
		}
		return part(3, b)
	}
	for _, tt := range []struct {
		name         string
		message      []byte
		status, code string
	}{
		{"nothing", nil, "5", "model_not_found"},
		{"no model", inferCall(1, false, text(1, "other")), "5", "model_not_found"},
		{"another version", inferCall(1, false, text(2, "other")), "5", "model_not_found"},
		{"no guarantee", slices.Concat(text(1, modelName)), "3", "no_guarantee"},
		{"a weaker guarantee", slices.Concat(text(1, modelName), promise("5")), "3", "guarantee_mismatch"},
		{"no input", slices.Concat(text(1, modelName), promise("4")), "3", "invalid_request"},
		{"too many rows", inferCall(5, false), "3", "batch_too_large"},
		{"NaN", vector(text(2, "FP32"), shaped(1, width), part(5, part(6, floats(append(rows(1)[1:], float32(math.NaN())))))), "3", "not_finite"},
		{"another width", vector(text(2, "FP32"), shaped(1, 1), part(5, part(6, floats([]float32{1})))), "3", "wrong_width"},
		{"another type", vector(text(2, "FP64"), shaped(1, width), part(5, part(7, make([]byte, 8*width)))), "3", "invalid_request"},
		{"contents of another type", vector(text(2, "FP32"), shaped(1, width), part(5, part(7, make([]byte, 8*width)))), "3", "invalid_request"},
		{"fewer numbers", vector(text(2, "FP32"), shaped(1, width), part(5, part(6, floats([]float32{1})))), "3", "invalid_request"},
		{"half a number", vector(text(2, "FP32"), shaped(1, width), part(5, part(6, []byte{1, 2}))), "3", "invalid_request"},
		{"a giant shape", vector(text(2, "FP32"), shaped(1<<31, 1<<31)), "3", "invalid_request"},
		{"a negative shape", vector(text(2, "FP32"), shaped(math.MaxUint64, width)), "3", "invalid_request"},
		{"both contents", slices.Concat(inferCall(1, false), part(7, floats(rows(1)))), "3", "invalid_request"},
		{"more raw contents than inputs", slices.Concat(inferCall(1, true), part(7, floats(rows(1)))), "3", "invalid_request"},
		{"an unknown output", inferCall(1, false, part(6, text(1, "other"))), "3", "invalid_request"},
		{"no UTF-8", text(1, "\xff"), "3", "invalid_request"},
		{"a number for a name", number(1, 1), "3", "invalid_request"},
		{"a tag without an end", []byte{0xff}, "3", "invalid_request"},
		{"a length beyond the end", []byte{0x0a, 0x7f}, "3", "invalid_request"},
		{"a group", []byte{0x0b, 0x0c}, "3", "invalid_request"},
		{"too long", make([]byte, 1<<17), "8", "body_too_large"},
	} {
		if a := c.call(t, inferences+"ModelInfer", tt.message); a.status != tt.status || a.code != tt.code {
			t.Errorf("%s: status %s, %s, want %s, %s", tt.name, a.status, a.code, tt.status, tt.code)
		}
	}
	message := framed(inferCall(1, false))
	for _, tt := range []struct {
		name, method string
		body         []byte
		headers      []string
		status       string
	}{
		{"no such method", inferences + "ModelStreamInfer", message, nil, "12"},
		{"no such service", "/other.Service/Call", message, nil, "12"},
		{"no frame", inferences + "ModelInfer", message[:3], nil, "3"},
		{"a short frame", inferences + "ModelInfer", message[:len(message)-1], nil, "3"},
		{"two frames", inferences + "ModelInfer", append(slices.Clone(message), message...), nil, "3"},
		{"a packed frame", inferences + "ModelInfer", append([]byte{1}, message[1:]...), nil, "12"},
		{"packed", inferences + "ModelInfer", message, []string{"Grpc-Encoding", "gzip"}, "12"},
		{"no call", inferences + "ModelInfer", message, []string{"Content-Type", "application/json"}, "HTTP 415"},
		{"no time", inferences + "ModelInfer", message, []string{"Grpc-Timeout", "1n"}, "4"},
		{"a wrong time", inferences + "ModelInfer", message, []string{"Grpc-Timeout", "soon"}, "0"},
		{"a long question", inferences + "ModelReady", framed(make([]byte, 1<<13)), nil, "8"},
	} {
		if a := c.send(t, tt.method, bytes.NewReader(tt.body), tt.headers...); a.status != tt.status {
			t.Errorf("%s: status %s, %s, want %s", tt.name, a.status, a.code, tt.status)
		}
	}
}

// TestCallMemory: a message of nothing but beginnings is refused before it is
// memory.
func TestCallMemory(t *testing.T) {
	c, _ := calls(t, server.Config{Model: stored})
	for name, piece := range map[string][]byte{
		"inputs": part(5), "outputs": part(6), "raw contents": part(7), "parameters": part(4, text(1, "x")),
		"dimensions": part(5, part(3, make([]byte, 1<<20))), "parameters of inputs": part(5, bytes.Repeat(part(4, text(1, "y")), 1000)),
	} {
		message := slices.Concat(text(1, modelName), bytes.Repeat(piece, max(1, 4<<20/len(piece))))
		if a := c.call(t, inferences+"ModelInfer", message); a.status != "3" {
			t.Errorf("4 MiB of %s: status %s, %s, want 3", name, a.status, a.code)
		}
	}
}

func TestCallQuestions(t *testing.T) {
	t.Parallel()
	c, end := calls(t, server.Config{Model: stored, Withdraw: time.Second})
	on := number(1, 1)
	for _, tt := range []struct {
		name, method string
		message      []byte
		status       string
		want         []byte
	}{
		{"live", inferences + "ServerLive", nil, "0", on},
		{"ready", inferences + "ServerReady", nil, "0", on},
		{"model ready", inferences + "ModelReady", text(1, modelName), "0", on},
		{"version ready", inferences + "ModelReady", slices.Concat(text(1, modelName), text(2, versionOf(t, modelName))), "0", on},
		{"another version", inferences + "ModelReady", slices.Concat(text(1, modelName), text(2, "other")), "5", nil},
		{"no model", inferences + "ModelMetadata", text(1, "other"), "5", nil},
		{"no name", inferences + "ModelMetadata", nil, "5", nil},
		{"server", inferences + "ServerMetadata", nil, "0", slices.Concat(text(1, "sotto"), text(2, "2"), text(3, "binary_tensor_data"), text(3, "model_repository(index)"))},
		{"health", "/grpc.health.v1.Health/Check", nil, "0", on},
		{"health of the service", "/grpc.health.v1.Health/Check", text(1, "inference.GRPCInferenceService"), "0", on},
		{"health of another", "/grpc.health.v1.Health/Check", text(1, "other"), "5", nil},
		{"watched health", "/grpc.health.v1.Health/Watch", nil, "12", nil},
	} {
		if a := c.call(t, tt.method, tt.message); a.status != tt.status || !bytes.Equal(a.message, tt.want) {
			t.Errorf("%s: status %s, %x, want %s, %x", tt.name, a.status, a.message, tt.status, tt.want)
		}
	}
	m := fieldsOf(t, c.call(t, inferences+"ModelMetadata", text(1, modelName)).message)
	if string(m[1][0]) != modelName || string(m[2][0]) != versionOf(t, modelName) || len(m[4]) != 1 || len(m[5]) != 2 || string(fieldsOf(t, m[4][0])[1][0]) != "vector" {
		t.Errorf("metadata is %q", m)
	}
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	for a := (answered{message: on}); len(a.message) > 0; { // not ready when it is empty
		a = c.call(t, inferences+"ServerReady", nil)
	}
	if a := c.call(t, "/grpc.health.v1.Health/Check", nil); !bytes.Equal(a.message, number(1, 2)) {
		t.Errorf("health of a server that ends is %x, want 2", a.message)
	}
	if a := c.call(t, inferences+"ModelInfer", inferCall(1, true)); a.status != "0" {
		t.Errorf("status %s of a call to a server that ends, want an answer still", a.status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestCallsTLS: with TLS, calls are over TLS, and callers have certificates where
// they must.
func TestCallsTLS(t *testing.T) {
	cert, key := servetest.Certify(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "m")
	put(t, folderOf(modelName), dir)
	c, end := calls(t, server.Config{Model: dir, TLS: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}})
	if !servetest.Reaches(t, strings.Replace(c.address, "http:", "https:", 1), cert) {
		t.Error("a call over TLS is not answered")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", c.address+inferences+"ServerLive", bytes.NewReader(framed(nil)))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := c.http.Do(r); err == nil {
		res.Body.Close()
		t.Error("a call in the clear is answered by a server with TLS")
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func BenchmarkCall(b *testing.B) {
	c, _ := calls(b, server.Config{Model: stored})
	message := inferCall(16, true)
	for b.Loop() {
		if a := c.call(b, inferences+"ModelInfer", message); a.status != "0" {
			b.Fatal(a.status)
		}
	}
}
