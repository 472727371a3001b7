package ledger

import (
	"errors"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Exposed says in words in what way entries could travel to a place unencrypted,
// and what to do; "" if they cannot. It asks the driver what it would do, so that
// settings of the environment count, too.
func Exposed(place string) (string, error) {
	c, err := pgconn.ParseConfig(place)
	if err != nil {
		// The driver's error quotes the address, which may hold a password.
		return "", errors.New("ledger: the address of the database cannot be read")
	}
	mode := os.Getenv("PGSSLMODE")
	if u, err := url.Parse(place); err == nil && u.Query().Has("sslmode") {
		mode = u.Query().Get("sslmode")
	}
	if mode == "disable" || mode == "allow" {
		return "has sslmode=" + mode + ", so that users and what they spend travel in the clear, must be sslmode=verify-full (or require); on this machine it can be left out", nil
	}
	type way struct {
		host      string
		encrypted bool
	}
	ways := []way{{c.Host, c.TLSConfig != nil}}
	for _, f := range c.Fallbacks {
		ways = append(ways, way{f.Host, f.TLSConfig != nil})
	}
	for _, w := range ways {
		ip := net.ParseIP(w.host)
		if local := strings.HasPrefix(w.host, "/") || w.host == "localhost" || ip != nil && ip.IsLoopback(); !w.encrypted && !local {
			return "has no sslmode that demands encryption, so that the driver goes on in the clear where the database offers none, must have sslmode=verify-full (or require)", nil
		}
	}
	return "", nil
}

// Telling reports whether the address of a database holds a password, which is seen by
// whoever sees the address.
func Telling(place string) bool {
	u, err := url.Parse(place)
	if err != nil {
		return true // nobody knows
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password") || u.Query().Has("sslpassword")
}
