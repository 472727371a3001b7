//go:build unix

package gateway_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/promise/noise"
	"sotto/service/gateway"
	"sotto/service/httpserve/servetest"
	"sotto/service/ledger"
	"sotto/service/ledger/disk"
	"sotto/study/language/mask"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/cells"
)

// loadConfig is what "sotto gateway" is without flags, with a budget that lasts.
func loadConfig(tb testing.TB, book gateway.Ledger) gateway.Config {
	tb.Helper()
	e, err := catalogue.Open(tb.Context(), catalogue.Said("default"), "")
	if err != nil {
		tb.Fatal(err)
	}
	const epsilon = 8
	own, err := cells.ShippedFor("", "default", epsilon)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := mech.New(mech.Params{Mechanism: "cells", Dim: e.Dim(), Epsilon: epsilon, Own: own})
	if err != nil {
		tb.Fatal(err)
	}
	return gateway.Config{Encoder: e, Mechanism: m, Ledger: book, Secret: secretOf(tb, 5)}
}

// loadLasts is for how long gateways are loaded. Without SOTTO_LOAD the test is skipped.
func loadLasts(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SOTTO_LOAD")
	if text == "" {
		t.Skip("SOTTO_LOAD does not say how long to load gateways")
	}
	lasts, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return lasts
}

// TestLoad prints how quickly 1,000 clients at a time are answered, each with
// texts that nobody asked for before, and what the ledger adds to a request: the
// same load without one is the comparison. Then it prints what it costs that nobody is
// answered before the head is on disk, and ends with one client alone. SOTTO_LOAD says for
// how long, such as 60s; the only failure is an answer that is neither a release nor typed.
func TestLoad(t *testing.T) {
	lasts := loadLasts(t)
	clients := 1000
	if n, err := strconv.Atoi(os.Getenv("SOTTO_CLIENTS")); err == nil {
		clients = n
	}
	book := openLedger(t, filepath.Join(t.TempDir(), "ledger"), 1e6)
	var each, work [2]time.Duration
	for i, l := range []gateway.Ledger{discard{book}, book} {
		name := [2]string{"no ledger", "file ledger"}[i]
		before := processorTime(t)
		latencies, status := loadGateway(t, newGateway(t, loadConfig(t, l)), clients, lasts)
		if len(latencies) == 0 {
			t.Fatalf("%s: nobody was answered: %v", name, status)
		}
		slices.Sort(latencies)
		at := func(share float64) time.Duration { return latencies[int(share*float64(len(latencies)-1))] }
		each[i] = lasts / time.Duration(len(latencies))
		work[i] = (processorTime(t) - before) / time.Duration(len(latencies))
		t.Logf("%s: %d clients, %d releases in %v, %.0f a second; p50 %v, p99 %v, most %v; answers by status %v",
			name, clients, len(latencies), lasts, float64(len(latencies))/lasts.Seconds(), at(0.5), at(0.99), at(1), status)
	}
	t.Logf("a request takes %v without a ledger, and the ledger adds %v: the paid path answers %.2f times as many as the unpaid one",
		each[0], each[1]-each[0], float64(each[0])/float64(each[1]))
	t.Logf("in processor time, gateway and client together, which others on the machine change less: %v and %v", work[0], work[1]-work[0])
	inStep(t, book, clients, lasts)
	alone, _ := loadGateway(t, newGateway(t, loadConfig(t, book)), 1, min(lasts, 10*time.Second))
	if slices.Sort(alone); len(alone) > 0 {
		t.Logf("one client alone, whose spend is on disk, and its head, before the answer: %d releases, p50 %v, p99 %v",
			len(alone), alone[len(alone)/2], alone[int(0.99*float64(len(alone)-1))])
	}
	if proof, err := book.Verify(t.Context()); err != nil {
		t.Error(err)
	} else {
		t.Logf("the ledger of %d spends verifies", proof.Spends)
	}
}

// inStep compares a ledger, whose head is on disk before anybody is answered, with one that
// does not wait for that, in turns of a second, so that whatever else the machine does
// falls on both.
func inStep(t *testing.T, book *ledger.Ledger, clients int, lasts time.Duration) {
	t.Helper()
	loose, err := ledger.OpenFile(filepath.Join(t.TempDir(), "ledger"), ledger.Options{
		Budget: ledger.Budget{Unit: dp.Text, Epsilon: 1e6, Window: 24 * time.Hour}, Disk: looseHead{disk.Machine},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer loose.Close()
	turn := min(lasts, time.Second)
	turns := max(2, int(lasts/turn)/2*2)
	var ratios []float64
	var sum [2]int
	for i := range turns {
		var n [2]int
		for j := range n {
			which := (i + j) % 2 // each is first as often as the other
			l := [2]*ledger.Ledger{loose, book}[which]
			latencies, _ := loadGateway(t, newGateway(t, loadConfig(t, l)), clients, turn)
			n[which] = len(latencies)
		}
		if n[0] > 0 && n[1] > 0 {
			ratios = append(ratios, float64(n[1])/float64(n[0]))
		}
		sum[0], sum[1] = sum[0]+n[0], sum[1]+n[1]
	}
	slices.Sort(ratios)
	if sum[0] == 0 || len(ratios) == 0 {
		t.Fatal("nobody was answered in turns")
	}
	t.Logf("with the head in step, in %d turns: %d releases, %d without; %.2f times as many, by the median turn %.2f",
		turns, sum[1], sum[0], float64(sum[1])/float64(sum[0]), ratios[len(ratios)/2])
}

// looseHead is the machine's disk, where nobody waits for a head.
type looseHead struct{ disk.Disk }

func (d looseHead) OpenFile(name string, flag int, mode os.FileMode) (disk.File, error) {
	f, err := d.Disk.OpenFile(name, flag, mode)
	if err == nil && strings.HasSuffix(name, ".head") {
		return looseFile{f}, nil
	}
	return f, err
}

type looseFile struct{ disk.File }

func (looseFile) Sync() error { return nil }

// processorTime is what this process has had of the machine's processors.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// loadGateway asks a gateway in this process for one text at a time; see crowd.
func loadGateway(t *testing.T, g *gateway.Gateway, clients int, lasts time.Duration) ([]time.Duration, map[int]int) {
	t.Helper()
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: g, Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, service.Serve)
	latencies, status := crowd{addresses: []string{address}, clients: clients, texts: 1}.ask(t, lasts)
	if err := end(); err != nil {
		t.Error(err)
	}
	return latencies, status
}

// crowd is clients who ask gateways in turn, each for so many texts at a time.
type crowd struct {
	addresses      []string
	clients, texts int
}

// ask asks for as long, and returns how long each request took that was released, and
// how often each status came.
func (c crowd) ask(t *testing.T, lasts time.Duration) ([]time.Duration, map[int]int) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	var all []time.Duration
	sum := map[int]int{}
	stop := time.Now().Add(lasts)
	for n := range c.clients {
		group.Go(func() {
			latencies, status, err := c.one(n, stop)
			if err != nil {
				t.Errorf("client %d: %v", n, err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, latencies...)
			for s, k := range status {
				sum[s] += k
			}
		})
	}
	group.Wait()
	for s := range maps.Keys(sum) {
		if s != http.StatusOK && s != http.StatusTooManyRequests && s != http.StatusServiceUnavailable {
			t.Errorf("%d answers with status %d", sum[s], s)
		}
	}
	return all, sum
}

// one is one client, who writes and reads bytes alone, so that most of the
// machine is left to the gateway.
func (c crowd) one(n int, stop time.Time) (latencies []time.Duration, status map[int]int, err error) {
	conn, err := net.Dial("tcp", c.addresses[n%len(c.addresses)])
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	status = map[int]int{}
	var body, request []byte
	for i := 0; time.Now().Before(stop); i++ {
		body = append(body[:0], `{"input": [`...)
		for k := range c.texts {
			if k > 0 {
				body = append(body, ',')
			}
			body = fmt.Appendf(body, `"the staff of house %d were kind on day %d and dish %d was good"`, n, i, k)
		}
		body = fmt.Appendf(body, `], "user": "u%d", "encoding_format": "base64"}`, n)
		request = fmt.Appendf(request[:0], "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		began := time.Now()
		if _, err = conn.Write(request); err != nil {
			return latencies, status, err
		}
		code, err := readAnswer(in)
		if err != nil {
			return latencies, status, err
		}
		if status[code]++; code == http.StatusOK {
			latencies = append(latencies, time.Since(began))
		}
	}
	return latencies, status, nil
}

// readAnswer reads an answer and returns its status.
func readAnswer(in *bufio.Reader) (code int, err error) {
	length := -1
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "" && length < 0:
			return 0, errors.New("an answer without length")
		case line == "":
			_, err = in.Discard(length)
			return code, err
		case first:
			if _, err = fmt.Sscanf(line, "HTTP/1.1 %d", &code); err != nil {
				return 0, err
			}
		case strings.HasPrefix(line, "Content-Length: "):
			if length, err = strconv.Atoi(line[len("Content-Length: "):]); err != nil {
				return 0, err
			}
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	for name, noise := range map[string]gateway.Noise{"memoised": gateway.Memoised, "fresh": gateway.Fresh} {
		b.Run(name, func(b *testing.B) {
			c := loadConfig(b, discard{openLedger(b, filepath.Join(b.TempDir(), "ledger"), 1e6)})
			c.Noise = noise
			g := newGateway(b, c)
			for b.Loop() {
				if _, err := g.Embed(b.Context(), "alice", []string{"the staff were kind and the food was good"}, gateway.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMasked is a text through a gateway that masks nothing, addresses and
// numbers, or names too, with and without something that stands in their place.
func BenchmarkMasked(b *testing.B) {
	const s = "Ann Lee, ann@lovelace.org, said that the staff were kind and the food was good; call +44 20 7946 0958"
	for _, types := range []string{"", "email,phone", "email,phone=fake", "all", "all=pseudonym"} {
		b.Run("types="+types, func(b *testing.B) {
			c := loadConfig(b, discard{openLedger(b, filepath.Join(b.TempDir(), "ledger"), 1e6)})
			if types != "" {
				m, err := mask.Open(types, "", nil)
				if err != nil {
					b.Fatal(err)
				}
				c.Maskers = []text.Masker{m}
			}
			g := newGateway(b, c)
			for b.Loop() {
				if _, err := g.Embed(b.Context(), "alice", []string{s}, gateway.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCosine reports, beside the time of a release, how near it is to the
// vector: why "sotto gateway" has the mechanism that it has.
func BenchmarkCosine(b *testing.B) {
	e, err := catalogue.Open(b.Context(), catalogue.Said("default"), "")
	if err != nil {
		b.Fatal(err)
	}
	x, err := encode.Texts(b.Context(), e, []string{
		"The food was wonderful and the staff were kind.", "My flight was delayed again and nobody told us anything",
		"Send the invoice to the accountant before Friday please", "I was diagnosed with diabetes last spring",
	}, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"codebook", "laplace-l1", "privunit"} {
		b.Run(name, func(b *testing.B) {
			m, err := mech.New(mech.Params{Mechanism: name, Dim: e.Dim(), Epsilon: 8})
			if err != nil {
				b.Fatal(err)
			}
			row, y, source := make([]float64, e.Dim()), make([]float64, e.Dim()), noise.Crypto()
			sum, n := 0.0, 0
			for b.Loop() {
				var dot, xx, yy float64
				for j, v := range x.Row(n % x.Rows) {
					row[j] = float64(v)
				}
				if err := m.PrivatizeTo(y, row, source); err != nil {
					b.Fatal(err)
				}
				for j := range row {
					dot, xx, yy = dot+row[j]*y[j], xx+row[j]*row[j], yy+y[j]*y[j]
				}
				sum, n = sum+dot/math.Sqrt(xx*yy), n+1
			}
			b.ReportMetric(sum/float64(n), "cosine")
		})
	}
}
