package httpserve

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long a connection on which nothing is asked for is left alone
// when others want its place.
const patience = time.Second

// gate bounds connections. When there are too many, those that have asked for
// nothing for the longest time give way: they are idle, or never sent a request.
// If there are none, who comes is told so and turned away; nobody waits.
type gate struct {
	net.Listener
	most, each int // 0 for no limit
	plain      bool
	turned     func(full bool) // is called for each that is turned away: full says that it was for want of room for anybody
	streaming  atomic.Int64    // connections that speak HTTP/2, over TLS

	mu   sync.Mutex // guards the rest
	all  map[*gated]struct{}
	from map[netip.Addr]*origin
	vain time.Time // when none was found among all that gives way
}

// origin is who has connections from one address.
type origin struct {
	n    int
	vain time.Time // when none was found among them that gives way
}

func newGate(l net.Listener, most, each int, plain bool, turned func(full bool)) *gate {
	return &gate{Listener: l, most: most, each: each, plain: plain, turned: turned, all: map[*gated]struct{}{}, from: map[netip.Addr]*origin{}}
}

// gated is a connection that was let in.
type gated struct {
	net.Conn
	gate *gate
	from netip.Addr
	// waits is since when nothing is asked for, in nanoseconds; 0 while a request
	// is under way.
	waits   atomic.Int64
	streams atomic.Bool // it speaks HTTP/2
	once    sync.Once
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		in, full := g.admit(c)
		if in != nil {
			return in, nil
		}
		g.turned(full)
		g.turnAway(c)
	}
}

// admit lets a connection in, or returns nil, and whether nobody else would be let in
// either. An address that has all that it may have is no want of room.
func (g *gate) admit(c net.Conn) (_ net.Conn, full bool) {
	in := &gated{Conn: c, gate: g, from: network(c.RemoteAddr().String())}
	now := time.Now()
	in.waits.Store(now.UnixNano())
	g.mu.Lock()
	of := g.from[in.from]
	if of == nil {
		of = new(origin)
	}
	var give []*gated
	if g.each > 0 && of.n >= g.each {
		give = g.idlest(now, &of.vain, func(c *gated) bool { return c.from == in.from })
	} else if g.most > 0 && len(g.all) >= g.most {
		give = g.idlest(now, &g.vain, func(*gated) bool { return true })
	}
	for _, c := range give {
		g.forget(c)
	}
	full = g.most > 0 && len(g.all) >= g.most
	room := !full && (g.each == 0 || of.n < g.each)
	if room {
		g.all[in], g.from[in.from] = struct{}{}, of
		of.n++
	}
	g.mu.Unlock()
	for _, c := range give {
		_ = c.Conn.Close() // nothing was being sent
	}
	if !room {
		return nil, full
	}
	return in, false
}

// idlest returns the connections that have waited longest: all that waited for
// more than half as long as the first, so that it is not looked for each time; nor
// is it soon after it was looked for in vain, however many come. The lock is held.
func (g *gate) idlest(now time.Time, vain *time.Time, among func(*gated) bool) []*gated {
	if now.Sub(*vain) < often {
		return nil
	}
	oldest := now.Add(-patience).UnixNano()
	for c := range g.all {
		if since := c.waits.Load(); since > 0 && since < oldest && among(c) {
			oldest = since
		}
	}
	limit := min(now.Add(-patience).UnixNano(), (oldest+now.UnixNano())/2)
	var found []*gated
	for c := range g.all {
		if since := c.waits.Load(); since > 0 && since < limit && among(c) {
			found = append(found, c)
		}
	}
	if found == nil {
		*vain = now
	}
	return found
}

// forget makes room. The lock is held.
func (g *gate) forget(c *gated) {
	c.once.Do(func() {
		delete(g.all, c)
		if c.streams.Load() {
			g.streaming.Add(-1)
		}
		of := g.from[c.from]
		if of.n--; of.n == 0 {
			delete(g.from, c.from)
		}
	})
}

// Close implements net.Conn.
func (c *gated) Close() error {
	c.gate.mu.Lock()
	c.gate.forget(c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// busy is what an http.Server without room says before it has read anything.
const busy = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 28\r\n\r\nno room now; come back later"

// turnAway ends a connection, with an answer where one can be given at once.
func (g *gate) turnAway(c net.Conn) {
	if g.plain {
		_ = c.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
		_, _ = c.Write([]byte(busy)) // nobody is owed more
	}
	_ = c.Close()
}

// note is told by an http.Server what its connections do.
func (g *gate) note(c net.Conn, state http.ConnState) {
	t, overTLS := c.(*tls.Conn)
	if overTLS {
		c = t.NetConn()
	}
	in, ok := c.(*gated)
	if !ok {
		return
	}
	if overTLS && state == http.StateActive && !in.streams.Load() && t.ConnectionState().NegotiatedProtocol == "h2" {
		g.mu.Lock()
		if _, open := g.all[in]; open { // else nobody would count it out again
			in.streams.Store(true)
			g.streaming.Add(1)
		}
		g.mu.Unlock()
	}
	switch state { //nolint:exhaustive // of the end Close tells
	case http.StateActive:
		in.waits.Store(0)
	case http.StateNew, http.StateIdle:
		in.waits.Store(time.Now().UnixNano())
	}
}

// open returns how many connections there are.
func (g *gate) open() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.all)
}

// network is the part of an address that one client has for itself: of IPv6 the
// first half, of which each subscriber has at least one.
func network(hostPort string) netip.Addr {
	a, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{} // all that are no addresses share one
	}
	ip := a.Addr().Unmap().WithZone("")
	if ip.Is6() {
		p, _ := ip.Prefix(64)
		ip = p.Addr()
	}
	return ip
}

// Network names who sent a request by its address, as limits by address see it.
func Network(r *http.Request) string { return network(r.RemoteAddr).String() }
