package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sotto/service/gateway"
	"sotto/service/ledger"
)

// frozen is a ledger that does not answer until it is let go.
type frozen struct {
	gateway.Ledger
	still atomic.Bool
	asked atomic.Int64
	freed chan struct{}
}

func (s *frozen) Spend(ctx context.Context, r ...ledger.Request) ([]ledger.Receipt, error) {
	if s.still.Load() {
		s.asked.Add(1)
		<-s.freed
		return nil, errors.New("it was frozen")
	}
	return s.Ledger.Spend(ctx, r...)
}

// Whoever asks whether the gateway is ready is answered though the ledger is not,
// and many who ask are one question to it.
func TestReadyThoughStuck(t *testing.T) {
	t.Parallel()
	c := config(t)
	l := &frozen{Ledger: c.Ledger, freed: make(chan struct{})}
	c.Ledger = l
	s := serve(t, c, gateway.ServiceConfig{})
	l.still.Store(true)
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			if status, content, _ := s.ask(t, http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(content, "ledger") {
				t.Errorf("status %d, %s, want 503 that names the ledger", status, content)
			}
		})
	}
	group.Wait() // which would not end before the ledger is let go
	if n := l.asked.Load(); n != 1 {
		t.Errorf("the ledger was asked %d times, want once", n)
	}
	l.still.Store(false)
	close(l.freed)
	// The question that was under way may still be answered first.
	for range 100 {
		if status, _, _ := s.ask(t, http.MethodGet, "/readyz", ""); status == http.StatusOK {
			return
		}
	}
	t.Error("the gateway is not ready though the ledger answers again")
}
