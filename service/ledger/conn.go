package ledger

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Impatient returns a connection that fails when nothing is heard for a time
// while somebody reads, where no earlier deadline was set.
func Impatient(conn net.Conn, silence time.Duration) net.Conn {
	return &impatient{Conn: conn, silence: silence}
}

type impatient struct {
	net.Conn
	silence time.Duration

	mu  sync.Mutex // guards end, and the order of deadlines
	end time.Time  // that was set for reading; zero if none
}

// Read implements net.Conn.
func (c *impatient) Read(b []byte) (int, error) {
	c.mu.Lock()
	deadline := time.Now().Add(c.silence)
	if !c.end.IsZero() && c.end.Before(deadline) {
		deadline = c.end
	}
	err := c.Conn.SetReadDeadline(deadline)
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// SetReadDeadline implements net.Conn.
func (c *impatient) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = t
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *impatient) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}
