package httpserve

import (
	"context"
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

// gate bounds connections. When there are too many, those on which nothing is worked
// on for the longest time give way: they are idle, or their requests have not come. Of
// those that never had a request that came whole, or whose sender was known, the oldest
// gives way at once, first of all of the address that has most: so strangers, who can open
// connections as fast as they like, push each other out, and not those whom the service
// knows. If there are none, who comes is told so and turned away; nobody waits.
type gate struct {
	net.Listener
	most, each int // 0 for no limit
	plain      bool
	turned     func(full bool) // is called for each that is turned away: full says that it was for want of room for anybody
	streaming  atomic.Int64    // connections that speak HTTP/2, over TLS
	left       chan struct{}   // has something when one that gave way has ended

	mu   sync.Mutex // guards the rest
	all  map[*gated]struct{}
	from map[netip.Addr]*origin
	vain time.Time // when none was found among all that gives way
	// leaving counts those that gave way and have not ended: what they have read and begun
	// is still in memory.
	leaving int
	// beat is when the last stretch of respite began, and given how many gave way in it.
	beat  time.Time
	given int
}

// mostLeaving is how many may be about to end before nobody else is let in, and respite how
// long at most. Strangers who push each other out come no faster than the service forgets
// them, and each place changes hands at most some times a second: all who come meanwhile
// wait in the system's queue, whoever they are, and nobody for long.
const (
	mostLeaving = 64
	respite     = 100 * time.Millisecond
	handsEvery  = 5 * respite // for two changes of each place
)

// origin is who has connections from one address.
type origin struct {
	n    int
	vain time.Time // when none was found among them that gives way
}

// strange is among which connections the oldest gives way at once.
func strange(of netip.Addr) func(*gated) bool {
	return func(c *gated) bool { return c.from == of && !c.served.Load() }
}

func newGate(l net.Listener, most, each int, plain bool, turned func(full bool)) *gate {
	return &gate{Listener: l, most: most, each: each, plain: plain, turned: turned, left: make(chan struct{}, 1), all: map[*gated]struct{}{}, from: map[netip.Addr]*origin{}}
}

// gated is a connection that was let in.
type gated struct {
	net.Conn
	gate *gate
	from netip.Addr
	// waits is since when nothing is worked on, in nanoseconds; 0 while something is.
	waits   atomic.Int64
	streams atomic.Bool // it speaks HTTP/2
	served  atomic.Bool // a request came whole, or its sender was known
	gave    atomic.Bool // it gave way, and has not ended
	once    sync.Once

	mu      sync.Mutex // guards working
	working int        // requests that are worked on
}

// work counts requests that are worked on.
func (c *gated) work(n int) {
	if c == nil {
		return // of a test
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.working += n; c.working > 0 {
		c.waits.Store(0)
	} else {
		c.waits.Store(time.Now().UnixNano())
	}
}

// serve notes that a request came whole, or that its sender is known.
func (c *gated) serve() {
	if c != nil {
		c.served.Store(true)
	}
}

// connection is the key under which a request's context has its connection.
type connection struct{}

// connectionOf returns the connection by which a request came; nil in a test.
func connectionOf(ctx context.Context) *gated {
	c, _ := ctx.Value(connection{}).(*gated)
	return c
}

// remember puts a connection into the context of its requests.
func remember(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, connection{}, c)
}

// known is the key under which a request's context says whether its sender is known.
type known struct{}

// Known notes that the sender of a request has shown who it is: its connection does not
// give way to those of strangers while the request is under way.
func Known(r *http.Request) {
	if is, ok := r.Context().Value(known{}).(*bool); ok {
		*is = true
	}
	connectionOf(r.Context()).serve()
}

// awaits counts a request out of the work while its body comes, unless its sender is
// known, and returns what counts it in again and takes whether the body came whole.
func awaits(r *http.Request) (came func(whole bool)) {
	c := connectionOf(r.Context())
	is, ok := r.Context().Value(known{}).(*bool)
	if c == nil || !ok || *is || r.ContentLength == 0 {
		return func(bool) {}
	}
	c.work(-1)
	return func(whole bool) {
		c.work(1)
		if whole {
			c.serve()
		}
	}
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		g.rest()
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

// rest waits while many that gave way have not ended, or gave way just now.
func (g *gate) rest() {
	now := time.Now()
	g.mu.Lock()
	if now.Sub(g.beat) >= respite {
		g.beat, g.given = now, 0
	}
	many, wait := g.leaving >= mostLeaving, time.Duration(0)
	if g.most > 0 && g.given > 2*g.most*int(respite)/int(handsEvery) {
		wait = g.beat.Add(respite).Sub(now)
	}
	g.mu.Unlock()
	time.Sleep(wait)
	if !many {
		return
	}
	limit := time.NewTimer(respite)
	defer limit.Stop()
	for {
		select {
		case <-g.left:
			g.mu.Lock()
			many = g.leaving >= mostLeaving
			g.mu.Unlock()
			if !many {
				return
			}
		case <-limit.C:
			return
		}
	}
}

// ended notes that one that gave way has ended.
func (g *gate) ended(c *gated) {
	if !c.gave.CompareAndSwap(true, false) {
		return
	}
	g.mu.Lock()
	g.leaving--
	g.mu.Unlock()
	select {
	case g.left <- struct{}{}:
	default:
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
		give = g.idlest(now, patience, &of.vain, func(c *gated) bool { return c.from == in.from })
		if give == nil {
			give = g.idlest(now, 0, nil, strange(in.from))
		}
	} else if g.most > 0 && len(g.all) >= g.most {
		give = g.idlest(now, patience, &g.vain, func(*gated) bool { return true })
		if give == nil {
			give = g.idlest(now, 0, nil, strange(g.largest()))
		}
	}
	for _, c := range give {
		g.forget(c)
		c.gave.Store(true)
		g.leaving++
		g.given++
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

// largest is the address that has most connections. The lock is held.
func (g *gate) largest() (who netip.Addr) {
	most := 0
	for from, of := range g.from {
		if of.n > most {
			who, most = from, of.n
		}
	}
	return who
}

// idlest returns the connections that have waited longest, and for longer than some time:
// all that waited for more than half as long as the first, so that it is not looked for
// each time; nor is it soon after it was looked for in vain, if that is noted, however many
// come. The lock is held.
func (g *gate) idlest(now time.Time, patience time.Duration, vain *time.Time, among func(*gated) bool) []*gated {
	if vain != nil && now.Sub(*vain) < often {
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
	if found == nil && vain != nil {
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
	if state == http.StateClosed || state == http.StateHijacked {
		g.ended(in)
	}
	if overTLS && state == http.StateActive && !in.streams.Load() && t.ConnectionState().NegotiatedProtocol == "h2" {
		g.mu.Lock()
		if _, open := g.all[in]; open { // else nobody would count it out again
			in.streams.Store(true)
			g.streaming.Add(1)
		}
		g.mu.Unlock()
	}
}

// idle is for how long nothing may be worked on before a connection ends by itself.
const idle = 2 * time.Minute

// sweep ends connections on which nothing was worked on for long, until it is over. That
// is not left to net/http: for as long as it lets a connection of HTTP/2 be idle, it also
// keeps all of one that ended while it had requests, and strangers end thousands a second.
func (g *gate) sweep(over <-chan struct{}) {
	tick := time.NewTicker(idle / 8)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case now := <-tick.C:
			g.end(now.Add(-idle).UnixNano())
		}
	}
}

// end closes the connections that have waited since before a moment.
func (g *gate) end(before int64) {
	var give []*gated
	g.mu.Lock()
	for c := range g.all {
		if since := c.waits.Load(); since > 0 && since < before {
			give = append(give, c)
			g.forget(c)
		}
	}
	g.mu.Unlock()
	for _, c := range give {
		_ = c.Conn.Close() // nothing was being sent
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
