//go:build linux

package fortress_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// hostility is what each connection of a swarm does. It is done by a process of its
// own, on one processor, so that how long an honest client waits is not how long it
// waits for its own attackers.
type hostility struct {
	N         int    // connections
	Addresses int    // from which they come
	Begin     []byte // is sent first
	Drip      []byte // and then again and again, twice a second; empty for nothing
	Kind      string
	Base      string // of whom it attacks
}

// Kinds of hostility.
const (
	flooding = "flood" // Begin is a request, and the next follows when it is answered
	slow     = "slow"  // Begin, and then Drip by Drip
	deaf     = "deaf"  // Begin is a request; many are sent, and no answer is read
)

const swarmVariable = "SOTTO_SWARM"

// swarm starts a swarm and returns what ends it, which returns what the swarm was
// answered.
func (s *scene) swarm(h hostility) (end func() tally) {
	s.Helper()
	content, err := json.Marshal(h)
	if err != nil {
		s.Fatal(err)
	}
	path := filepath.Join(s.TempDir(), "swarm.json")
	if err = os.WriteFile(path, content, 0o600); err != nil {
		s.Fatal(err)
	}
	// Attackers have machines of their own, and take no processor from this one.
	c := exec.Command("nice", "-n", "19", os.Args[0])
	c.Env = append(os.Environ(), swarmVariable+"="+path, "GOMAXPROCS=1")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		s.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.Fatal(err)
	}
	count := tally{}
	var once sync.Once
	end = func() tally {
		once.Do(func() {
			in.Close()
			if err := json.NewDecoder(out).Decode(&count); err != nil {
				s.Errorf("the swarm says nothing: %v", err)
			}
			c.Wait() //nolint:errcheck // what it said is read
		})
		return count
	}
	s.Cleanup(func() { end() })
	return end
}

// runSwarm is the process of a swarm. It ends with its standard input.
func runSwarm(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var h hostility
	if err := json.Unmarshal(content, &h); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin) //nolint:errcheck // it ends
		cancel()
	}()
	var mu sync.Mutex
	count := tally{}
	each := map[string]func(context.Context, net.Conn){
		flooding: h.flood(func(a answer) { mu.Lock(); defer mu.Unlock(); count.add(a) }), slow: h.trickle, deaf: h.deafen,
	}[h.Kind]
	var group sync.WaitGroup
	to := h.Base[strings.Index(h.Base, "//")+2:]
	for i := range h.N {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addressOf(i, h.Addresses))}, Timeout: 5 * time.Second}
		group.Go(func() {
			for ctx.Err() == nil {
				if c, err := d.DialContext(ctx, "tcp", to); err == nil {
					stop := context.AfterFunc(ctx, func() { c.Close() })
					each(ctx, c)
					stop()
					c.Close()
				}
				pause(ctx, 100*time.Millisecond) // a client that is turned away does not spin
			}
		})
	}
	group.Wait()
	return json.NewEncoder(os.Stdout).Encode(count)
}

// addressOf is the i-th of some of this machine's addresses.
func addressOf(i, of int) string {
	i %= of
	return fmt.Sprintf("127.%d.%d.%d", 1+i>>16, i/250&255, 2+i%250)
}

// flood sends the same request again and again.
func (h hostility) flood(note func(answer)) func(context.Context, net.Conn) {
	return func(ctx context.Context, c net.Conn) {
		in := bufio.NewReader(c)
		for ctx.Err() == nil {
			c.SetDeadline(time.Now().Add(20 * time.Second)) //nolint:errcheck // it is a real connection
			go c.Write(h.Begin)                             //nolint:errcheck // an early answer ends it
			a := readAnswer(in)
			if ctx.Err() != nil {
				return
			}
			note(a)
			if a.err != nil || a.header.Get("Connection") == "close" {
				return
			}
		}
	}
}

func readAnswer(in *bufio.Reader) answer {
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return answer{err: err}
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	res.Body.Close()
	if res.Close {
		res.Header.Set("Connection", "close")
	}
	return answer{status: res.StatusCode, header: res.Header, body: body, err: err}
}

// trickle sends a beginning, and then a few bytes a second for ever.
func (h hostility) trickle(ctx context.Context, c net.Conn) {
	if _, err := c.Write(h.Begin); err != nil {
		return
	}
	gone := make(chan struct{})
	go func() { // an answer, or the end
		defer close(gone)
		io.Copy(io.Discard, c) //nolint:errcheck // it ends
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-gone:
			return
		case <-time.After(500 * time.Millisecond):
		}
		if len(h.Drip) == 0 {
			continue
		}
		if _, err := c.Write(h.Drip); err != nil {
			return
		}
	}
}

// deafen asks for many answers and reads none of them.
func (h hostility) deafen(ctx context.Context, c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		t.SetReadBuffer(1 << 12) //nolint:errcheck // it only makes the attack stronger
	}
	for range 20 {
		c.SetWriteDeadline(time.Now().Add(10 * time.Second)) //nolint:errcheck // it is a real connection
		if _, err := c.Write(h.Begin); err != nil {
			break
		}
	}
	<-ctx.Done()
}
