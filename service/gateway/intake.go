package gateway

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/http"
	"strconv"
	"time"

	"sotto/service/gateway/keys"
	"sotto/service/httpserve"
)

// memoryOfBody is how many times its size a body may come to take.
const memoryOfBody = 8

// visit is what a request takes until it is answered.
type visit struct {
	load               httpserve.Load
	seat, turn, asking httpserve.Place
}

// leave is called when the work is done, before the answer is written: how long
// a client takes to read it is nobody else's concern.
func (v *visit) leave() {
	v.seat.Leave()
	v.turn.Leave()
	v.asking.Leave()
}

// perText is how many bytes a text takes at most besides itself: its vector, as
// it is encoded, named and released, and the answer, where a number has at most
// 16 digits and signs and is copied once.
func (g *Gateway) perText() int64 {
	in, out := g.Mechanism.Shape()
	return 512 + 8*int64(in) + 48*int64(out)
}

const (
	// manyBytes is from what size on requests are worked on in turns.
	manyBytes = 1 << 18
	// muchToRead is from what size on bodies are read in turns.
	muchToRead = 1 << 14
)

// work begins the work on texts. It takes memory and places after the body was
// read, so that who sends slowly keeps nobody else out, and before anything is
// paid. Large requests wait for turns of which there is one less than processors,
// so that small ones find one free, and lend them while they wait for the ledger.
func (s *Service) work(r *http.Request, who *client, texts int) (err error) {
	if who.load.Add(int64(texts)*who.gateway.perText()) != nil {
		return s.full("memory")
	}
	if who.waits {
		if who.asking, err = s.asking.Enter(r.Context()); err != nil {
			return slowDown("too many requests wait for the server", time.Second)
		}
	}
	if who.load.Bytes() > manyBytes {
		if who.turn, err = s.turns.Enter(r.Context()); err != nil {
			return s.full("turns")
		}
	}
	return s.place(r, who)
}

// inTurn looks at a body. If it is large, it waits for a turn: however many come,
// one processor is left for the others.
func (s *Service) inTurn(r *http.Request, body []byte, look func() error) error {
	if len(body) < muchToRead {
		return look()
	}
	turn, err := s.turns.Enter(r.Context())
	if err != nil {
		return s.full("turns")
	}
	defer turn.Leave()
	return look()
}

// place takes one of the places for requests that are worked on.
func (s *Service) place(r *http.Request, who *client) (err error) {
	key := who.Subject
	if key != "" {
		key = "key " + key // no address
	}
	who.seat, err = s.places.Enter(r.Context(), key, httpserve.Network(r))
	switch {
	case errors.Is(err, httpserve.ErrShare):
		return slowDown("too many requests at a time of this key or address", time.Second)
	case err != nil:
		s.http.Shed("places")
		return slowDown("too many requests at a time", time.Second)
	}
	return nil
}

// full is the answer to a request for which there is no room of some kind.
func (s *Service) full(kind string) *problem {
	s.http.Shed(kind)
	return overloaded("requests under way take all the room that there is")
}

// named refuses a request, where no keys are asked for, under a name that is
// neither this machine's own nor the gateway's: a foreign site can point a name
// of its own here, and its page would then be of the same origin. Nor may a page
// of another site ask in any other way.
func (s *Service) named(r *http.Request) error {
	if !httpserve.Loopback(r.Host) && !httpserve.Named(r.Host, s.Hosts) {
		return &problem{status: http.StatusForbidden, Type: invalidRequest, Code: "cross_origin", Message: "without keys the gateway answers to names of its own alone: call it by the address it listens on, or start it with --host and this name"}
	}
	if httpserve.Foreign(r) {
		return errForeign
	}
	return nil
}

// metrics handles "GET /metrics". It has places of its own, so that it answers
// when there are no others.
func (s *Service) metrics(w http.ResponseWriter, r *http.Request, _ *client) error {
	place, err := s.scrapes.Enter(r.Context())
	if err != nil {
		return slowDown("too many ask for metrics", time.Second)
	}
	defer place.Leave()
	return s.http.ShowMetrics(w, r)
}

// admin answers at the second listener, if there is one.
func (s *Service) admin() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.wrap("GET /metrics", s.guarded(s.metrics, keys.Metrics)))
	for route, f := range map[string]action{"GET /healthz": s.health, "GET /readyz": s.ready, "/": always(errNowhere)} {
		mux.Handle(route, s.wrap(route, f))
	}
	return mux
}

// newID names a request. It keeps nothing secret, and tells nothing of how many
// there were.
func newID() string {
	var drawn [8]byte
	rand.Read(drawn[:]) // it never returns an error
	return strconv.FormatUint(binary.LittleEndian.Uint64(drawn[:])|1<<63, 32)
}
