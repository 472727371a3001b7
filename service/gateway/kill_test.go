package gateway_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	weakrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/service/gateway"
	"sotto/service/ledger"
)

// killRounds is how often the gateway is killed; SOTTO_KILLS says another number.
const killRounds = 10

// TestKill kills a gateway under load without warning, again and again. Every
// answer that arrived must have been paid for, exactly once, and be given again
// with the same bits; and the ledger must verify.
func TestKill(t *testing.T) {
	if dir := os.Getenv("SOTTO_GATEWAY_CHILD"); dir != "" {
		childGateway(t, dir)
		return
	}
	t.Parallel()
	rounds := killRounds
	if testing.Short() {
		rounds = 2
	}
	if text := os.Getenv("SOTTO_KILLS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir, r := t.TempDir(), weakrand.New(weakrand.NewPCG(3, 4))
	answers := map[string][]float32{}
	for round := range rounds {
		child, base := startChild(t, dir)
		// Its time begins with the first answer, so that there is one on a machine
		// that has much else to do.
		first := sync.OnceFunc(func() {
			time.AfterFunc(time.Duration(r.IntN(150))*time.Millisecond, func() { child.Process.Kill() }) //nolint:errcheck // it runs
		})
		askUntilKilled(t, base, round, answers, first)
		child.Wait() //nolint:errcheck // it was killed
	}
	if len(answers) < rounds {
		t.Errorf("%d answers in %d rounds, want at least one in each: nothing was tested", len(answers), rounds)
	}
	checkAnswers(t, dir, rounds, answers)
}

// killConfig is the gateway that is killed.
func killConfig(t *testing.T, path string) gateway.Config {
	t.Helper()
	c := config(t)
	c.Ledger, c.Secret = openLedger(t, path, 1e6), secretOf(t, 9)
	return c
}

// childGateway answers on a free port, whose number it writes to a file, until
// it is killed.
func childGateway(t *testing.T, dir string) {
	t.Helper()
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, killConfig(t, filepath.Join(dir, "ledger")))})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	temporary := filepath.Join(dir, "address.new")
	if err = os.WriteFile(temporary, []byte(l.Addr().String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err = os.Rename(temporary, filepath.Join(dir, "address")); err != nil {
		t.Fatal(err)
	}
	t.Fatal(service.Serve(t.Context(), l))
}

func startChild(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	path := filepath.Join(dir, "address")
	os.Remove(path)
	child := exec.Command(os.Args[0], "-test.run", "^TestKill$")
	child.Env = append(os.Environ(), "SOTTO_GATEWAY_CHILD="+dir)
	var said bytes.Buffer
	child.Stdout, child.Stderr = &said, &said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		if address, err := os.ReadFile(path); err == nil {
			return child, "http://" + string(address)
		}
		time.Sleep(5 * time.Millisecond)
	}
	child.Process.Kill() //nolint:errcheck // it is of no use
	child.Wait()         //nolint:errcheck // likewise
	t.Fatalf("the gateway does not start: %s", said.String())
	return nil, ""
}

// askUntilKilled asks from several goroutines, each text once, until nobody
// answers, and notes what was answered; at each answer it calls answered.
func askUntilKilled(t *testing.T, base string, round int, answers map[string][]float32, answered func()) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			for i := 0; ; i++ {
				text := fmt.Sprintf("text %d %d %d", round, worker, i)
				response, err := (&http.Client{Transport: transport}).Post(base+"/v1/embeddings", "application/json",
					strings.NewReader(fmt.Sprintf(`{"input": %q, "user": "u%d", "encoding_format": "base64"}`, text, worker)))
				if err != nil {
					return
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil {
					return
				}
				if response.StatusCode != http.StatusOK {
					t.Errorf("status %d: %s", response.StatusCode, body)
					return
				}
				v := vectorOf(body)
				mu.Lock()
				answers[fmt.Sprintf("u%d\x00%s", worker, text)] = v
				mu.Unlock()
				answered()
			}
		})
	}
	group.Wait()
}

// vectorOf returns the vector of an answer in base64, nil if it has none.
func vectorOf(body []byte) []float32 {
	var a struct{ Data []struct{ Embedding []byte } }
	if json.Unmarshal(body, &a) != nil || len(a.Data) != 1 {
		return nil
	}
	v := make([]float32, len(a.Data[0].Embedding)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(a.Data[0].Embedding[4*i:]))
	}
	return v
}

// checkAnswers asks for everything again that was answered: it must be known to
// be paid for, cost nothing, and be the same.
func checkAnswers(t *testing.T, dir string, rounds int, answers map[string][]float32) {
	t.Helper()
	c := killConfig(t, filepath.Join(dir, "ledger"))
	l := c.Ledger.(*ledger.Ledger)
	before, err := l.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := newGateway(t, c)
	bySubject := map[string][]string{}
	for name := range answers {
		subject, text, _ := strings.Cut(name, "\x00")
		bySubject[subject] = append(bySubject[subject], text)
	}
	for subject, texts := range bySubject {
		for some := range slices.Chunk(texts, 200) {
			e := embed(t, g, subject, gateway.Options{}, some...)
			for i, text := range some {
				if !slices.Equal(e.Vectors[i], answers[subject+"\x00"+text]) {
					t.Error("an answer is another when it is asked for again")
				}
			}
			if e.Privacy.Paid != 0 || e.Privacy.Cost != 0 {
				t.Errorf("%d answers had not been paid for", e.Privacy.Paid)
			}
		}
	}
	after, err := l.Verify(t.Context(), before.Head)
	if err != nil || after.Spends != before.Spends || int(after.Spends) < len(answers) {
		t.Errorf("%d spends before and %d after for %d answers (%v), want no more than before and none too few", before.Spends, after.Spends, len(answers), err)
	}
	keys := map[ledger.Digest]int{}
	if err := l.Entries(t.Context(), 1, func(e *ledger.Entry) error {
		if e.Kind == ledger.KindSpend {
			keys[e.Key]++
		}
		return nil
	}); err != nil || len(keys) != int(after.Spends) {
		t.Errorf("%d keys for %d spends, %v, want as many: none doubled", len(keys), after.Spends, err)
	}
	t.Logf("%d kills, %d answers, %d spends", rounds, len(answers), after.Spends)
}
