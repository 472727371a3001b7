//go:build unix

package gateway_test

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/gateway"
	"sotto/service/httpserve/servetest"
	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// TestLoadPostgres prints how many paid releases a second two gateways make, processes of
// their own on one PostgreSQL, in answer to clients in this process, who ask for 1, 16 and
// 64 texts at a time that nobody asked for before. SOTTO_LOAD says for how long each.
//
// Beside what was measured it prints the processor time of a release by part, and what is
// derived from it: how many releases a second two processors would make that had nothing
// else to do. Others on the machine change the first, and hardly the second.
func TestLoadPostgres(t *testing.T) {
	if url := os.Getenv("SOTTO_LOAD_GATEWAY"); url != "" {
		serveLoad(t, url)
		return
	}
	lasts := loadLasts(t)
	t.Cleanup(pgtest.End)
	s := pgtest.Shared(t)
	for _, c := range []crowd{{clients: 1000, texts: 1}, {clients: 128, texts: 16}, {clients: 32, texts: 64}} {
		t.Run(fmt.Sprint("texts=", c.texts), func(t *testing.T) { c.load(t, s, lasts) })
	}
}

// load starts two gateways on an empty ledger, asks them, and says what came of it.
func (c crowd) load(t *testing.T, s *pgtest.Server, lasts time.Duration) {
	url := s.URL(s.Schema(t))
	book, err := ledger.OpenAny(t.Context(), url, loadLedger())
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	var gateways [2]*loadedGateway
	for i := range gateways {
		gateways[i] = startLoaded(t, url)
		c.addresses = append(c.addresses, gateways[i].address)
	}
	// What starting took is no part of a release.
	own, server, others := processorTime(t), serverTime(t, s), gateways[0].processorTime(t)+gateways[1].processorTime(t)
	latencies, status := c.ask(t, lasts)
	own, server, others = processorTime(t)-own, serverTime(t, s)-server, gateways[0].processorTime(t)+gateways[1].processorTime(t)-others
	for _, g := range gateways {
		g.end(t)
	}
	n := len(latencies) * c.texts
	if n == 0 {
		t.Fatalf("nobody was answered: %v", status)
	}
	slices.Sort(latencies)
	t.Logf("two gateways on one PostgreSQL, %d clients with %d texts a request: measured %.0f paid releases a second for %v; p50 %v, p99 %v; answers by status %v",
		c.clients, c.texts, float64(n)/lasts.Seconds(), lasts, latencies[len(latencies)/2], latencies[int(0.99*float64(len(latencies)-1))], status)
	each := func(d time.Duration) time.Duration { return (d / time.Duration(n)).Round(100 * time.Nanosecond) }
	all := own + server + others
	t.Logf("processor time of a release %v: gateways %v, PostgreSQL %v, clients %v; derived: %.0f a second on two idle processors",
		each(all), each(others), each(server), each(own), 2*float64(n)/all.Seconds())
	proofs, err := book.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if proof := ledger.ProofOfParts(proofs); int(proof.Spends) < n {
		t.Errorf("%d releases were made and %d paid for", n, proof.Spends)
	}
}

func loadLedger() ledger.Options {
	return ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: 1e8, Window: 24 * time.Hour}, SecretID: "load", ChainKey: make([]byte, 32)}
}

// serverTime is what the database has had of the processors.
func serverTime(t *testing.T, s *pgtest.Server) time.Duration {
	t.Helper()
	d, err := s.ProcessorTime()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// loadedGateway is a gateway in a process of its own.
type loadedGateway struct {
	*exec.Cmd
	address string
	in      io.WriteCloser
	out     *bufio.Reader
}

// startLoaded starts this test as a gateway on a ledger.
func startLoaded(t *testing.T, url string) *loadedGateway {
	t.Helper()
	g := &loadedGateway{Cmd: exec.Command(os.Args[0], "-test.run", "^TestLoadPostgres$")}
	g.Env = append(os.Environ(), "SOTTO_LOAD_GATEWAY="+url)
	if dir := os.Getenv("SOTTO_LOAD_PROFILE"); dir != "" {
		g.Args = append(g.Args, "-test.cpuprofile", fmt.Sprintf("%s/gateway-%d", dir, time.Now().UnixNano()))
	}
	var err error
	if g.in, err = g.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := g.StdoutPipe()
	if err == nil {
		err = g.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	g.out = bufio.NewReader(out)
	g.address = g.say(t, "")
	return g
}

// say sends a line, if it is not empty, and returns the answer.
func (g *loadedGateway) say(t *testing.T, line string) string {
	t.Helper()
	var err error
	if line != "" {
		_, err = fmt.Fprintln(g.in, line)
	}
	answer, failed := g.out.ReadString('\n')
	if err = cmp.Or(err, failed); err != nil {
		t.Fatalf("a gateway: %v", errors.Join(err, g.Wait()))
	}
	return strings.TrimSpace(answer)
}

// processorTime is what it has had of the processors until now.
func (g *loadedGateway) processorTime(t *testing.T) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(g.say(t, "time"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// end ends it, and awaits that.
func (g *loadedGateway) end(t *testing.T) {
	t.Helper()
	if err := g.in.Close(); err != nil {
		t.Error(err)
	}
	_, err := io.Copy(io.Discard, g.out) // what a test says at its end
	if err = cmp.Or(err, g.Wait()); err != nil {
		t.Errorf("a gateway: %v", err)
	}
}

// serveLoad is a gateway that answers until its input ends. It says its address, and for
// each line that it reads what it has had of the processors.
func serveLoad(t *testing.T, url string) {
	book, err := ledger.OpenAny(t.Context(), url, loadLedger())
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	// As "sotto gateway" does, it logs every request, here to nowhere.
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, loadConfig(t, book)), Log: slog.New(slog.NewJSONHandler(nowhere, nil))})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, service.Serve)
	fmt.Fprintln(os.Stdout, address) //nolint:errcheck // who listens notices
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Fprintln(os.Stdout, processorTime(t)) //nolint:errcheck // likewise
	}
	if err = end(); err != nil {
		t.Error(err)
	}
}
