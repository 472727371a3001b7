package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"sotto/command/term"
	"sotto/internal/regular"
	"sotto/internal/signed"
	"sotto/service/gateway/keys"
	"sotto/service/httpserve"
	"sotto/service/ledger"
)

// safe refuses what production must not be, and warns of it otherwise.
func (o *gatewayOptions) safe() error {
	local, err := loopback("--listen", o.listen)
	if err != nil {
		return err
	}
	second := true
	if o.admin != "" {
		if second, err = loopback("--admin-listen", o.admin); err != nil {
			return err
		}
	}
	for _, h := range o.Hosts {
		if strings.ContainsAny(h, "/ *@") {
			return fmt.Errorf("--host is %q, must be a name or an address alone, such as gateway.internal", h)
		}
	}
	o.answerTo(o.listen, o.admin)
	for _, risk := range []struct {
		is     bool
		abroad bool // no risk while it listens on this machine alone
		what   string
	}{
		{o.keys == "", true, "there is no --keys, so that everybody who reaches the gateway may spend everybody's budget"},
		{o.page, true, "--page shows raw vectors"},
		{!local && o.TLS == nil, true, "--listen is not on this machine alone and there is no --tls-cert, so that texts travel in the clear"},
		{!second && o.TLS == nil, false, "--admin-listen is not on this machine alone and there is no --tls-cert, so that keys travel in the clear"},
		{o.beside(o.secret), false, "the secret lies beside the ledger, so that a backup holds both and whoever has it can take the noise away: keep --secret in another folder"},
		{o.head == ledger.NoHead, false, "--head is none, so that nobody notices a ledger that was deleted or went back"},
	} {
		if risk.is && o.production {
			return fmt.Errorf("--production: %s", risk.what)
		} else if risk.is && (!local || !risk.abroad) {
			o.Log.Warn(risk.what)
		}
	}
	for _, at := range []struct{ flag, place string }{{"--ledger", o.ledger}, {"--head", o.head}} {
		if err := o.reached(at.flag, at.place); err != nil {
			return err
		}
	}
	if o.production {
		if err := o.strict(); err != nil {
			return fmt.Errorf("--production: %w", err)
		}
	}
	if ledger.InDatabase(o.ledger) && o.standby == 0 && o.production {
		o.Log.Warn("--ledger-standbys is 0, so that a fail-over of the database can forget the last spends unless its synchronous_standby_names is set")
	}
	if o.page && !local && o.keys == "" {
		return errors.New("--page without --keys wants --listen on this machine alone: it shows raw vectors to whoever opens it")
	}
	return nil
}

// loopback reports whether an address to listen on is of this machine alone.
func loopback(flag, address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("%s is %q, must be HOST:PORT", flag, address)
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback(), nil
}

// answerTo lets clients call the gateway by the hosts of addresses that it listens
// on, unless they are those of all.
func (o *gatewayOptions) answerTo(addresses ...string) {
	for _, a := range addresses {
		host, _, err := net.SplitHostPort(a)
		if ip := net.ParseIP(host); err == nil && host != "" && (ip == nil || !ip.IsUnspecified()) {
			o.Hosts = append(o.Hosts, host)
		}
	}
}

// reached refuses a database that could be spoken to in the clear, or warns of it, and in
// production an address that holds a password.
func (o *gatewayOptions) reached(flag, place string) error {
	if !ledger.InDatabase(place) {
		return nil
	}
	switch exposed, err := ledger.Exposed(place); {
	case err != nil:
		return err
	case exposed != "" && o.production:
		return fmt.Errorf("--production: %s %s", flag, exposed)
	case exposed != "":
		o.Log.Warn(flag + " " + exposed)
	}
	if o.production && ledger.Telling(place) {
		return fmt.Errorf("--production: %s has a password in its address, which lists of processes and settings show, must have none: give it by PGPASSWORD or by the file of PGPASSFILE", flag)
	}
	return nil
}

// mostJump is how far the clock may be set at most in production.
const mostJump = 24 * time.Hour

// strict refuses what production must not be and nothing is warned of otherwise: what was
// meant for one machine and one person. The error names the flag.
func (o *gatewayOptions) strict() error {
	most := mostJump
	if o.budget.Window > 0 {
		most = min(most, o.budget.Window)
	}
	u, err := url.Parse(o.server)
	switch {
	case o.beside(cmp.Or(o.head, o.ledger)):
		return errors.New("the head lies beside the ledger, so that whoever can put an old ledger back puts its head back as well: keep --head in another folder, best on another disk")
	case o.clocks.Jump > most:
		return fmt.Errorf("--max-clock-jump is %v, so that whoever sets the clock renews every budget, must be at most %v, which is no more than --window", o.clocks.Jump, most)
	case err != nil:
		return errors.New("--server is no address")
	case u.Scheme == "http" && !httpserve.Loopback(u.Host):
		return errors.New("--server is on another machine and its address begins with http://, so that releases travel in the clear and anybody can answer for it: use https://")
	}
	for _, f := range []struct {
		flag, path string
		secret     bool
		absent     bool // is told of by whoever opens it
	}{
		{"--secret", o.secret, true, false},
		{"--ledger", o.ledger, false, true},
		{"--head", o.head, false, true},
		{"--config", o.config, false, false},
	} {
		if f.path == "" || ledger.InDatabase(f.path) || f.path == ledger.NoHead {
			continue
		}
		if err := regular.Guard(f.path, f.secret); err != nil && (!f.absent || !errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("%s: %w", f.flag, err)
		}
	}
	return o.guardCertificates()
}

// guardCertificates refuses, in production, files of TLS that others can change, and a key
// that they can read.
func (o *gatewayOptions) guardCertificates() error {
	for _, f := range []struct {
		flag, path string
		secret     bool
	}{{"--tls-cert", o.tls.Cert, false}, {"--tls-key", o.tls.Key, true}, {"--tls-client-ca", o.tls.ClientCA, false}} {
		if !o.production || f.path == "" {
			continue
		}
		if err := regular.Guard(f.path, f.secret); err != nil {
			return fmt.Errorf("%s: %w", f.flag, err)
		}
	}
	return nil
}

// guardModel refuses, in production, a model that others can change.
func (o *gatewayOptions) guardModel() error {
	if !o.production {
		return nil
	}
	if err := regular.GuardAll(o.model, "secret"); err != nil {
		return fmt.Errorf("--production: --model: %w", err)
	}
	return nil
}

// beside reports whether a file lies in the folder of the ledger's file.
func (o *gatewayOptions) beside(path string) bool {
	if ledger.InDatabase(o.ledger) || ledger.InDatabase(path) || path == ledger.NoHead {
		return false
	}
	return folder(o.ledger) == folder(path)
}

// folder returns the folder of a file, which need not be there, without links.
func folder(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	dir := filepath.Dir(path)
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return dir
}

// loadKeys reads the file of keys; nil without one. In production nobody but its
// owner may be able to put a key into it.
func (o *gatewayOptions) loadKeys() (*keys.Set, error) {
	if o.keys == "" {
		return nil, nil //nolint:nilnil // everybody may ask
	}
	set, err := keys.Load(o.keys)
	if err != nil {
		return nil, err
	}
	err = writable(o.keys)
	if err == nil && o.production {
		err = regular.Guard(o.keys, false)
	}
	if err != nil && o.production {
		return nil, fmt.Errorf("--production: --keys: %w", err)
	} else if err != nil {
		o.Log.Warn("--keys: " + err.Error())
	}
	return set, nil
}

// loadVerify reads the key by which the model must be signed, once: to take another is a
// matter of a start. In production nobody but its owner may be able to put another there.
func (o *gatewayOptions) loadVerify() (err error) {
	switch {
	case o.verify != "" && o.model == "":
		return errors.New("--verify checks the folder of a --model, must be given with one")
	case o.verify == "" && o.model != "" && o.signed:
		return errors.New("--signed refuses a --model that nobody vouches for: name the public key by which it is signed with --verify")
	case o.verify == "":
		if o.model != "" && o.production {
			o.Log.Warn("there is no --verify, so that whoever can write the folder of --model chooses what is released")
		}
		return nil
	}
	if o.key, err = term.CheckingKey(o.verify); err != nil {
		return err
	}
	err = writable(o.verify)
	if err == nil && o.production {
		err = regular.Guard(o.verify, false)
	}
	if err != nil {
		if o.production {
			return fmt.Errorf("--production: --verify: %w", err)
		}
		o.Log.Warn("--verify: " + err.Error())
	}
	return nil
}

// keyID names the key of --verify in logs, "" for none.
func keyID(k *signed.PublicKey) string {
	if k == nil {
		return ""
	}
	return k.ID()
}

// writable says who else could change a file, or put another in its place. Windows
// has no modes.
func writable(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	path, err := filepath.EvalSymlinks(path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%s has mode %#o, so that others can write a key into it, must be writable by its owner alone: chmod go-w", path, mode)
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err = os.Stat(dir); err != nil {
			return err
		}
		// With the sticky bit, as /tmp has it, nobody takes away another's file.
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
			return fmt.Errorf("%s lies in %s, in which everybody can put another in its place, must lie in a folder that only its owner writes: chmod o-w", path, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
