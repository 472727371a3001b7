package serve

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"sotto/gateway/keys"
	"sotto/internal/cli/term"
	"sotto/internal/signed"
	"sotto/ledger"
	"sotto/ledger/postgres"
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
		{o.beside(), false, "the secret lies beside the ledger, so that a backup holds both and whoever has it can take the noise away: keep --secret in another folder"},
		{o.head == ledger.NoHead, false, "--head is none, so that nobody notices a ledger that was deleted or went back"},
	} {
		if risk.is && o.production {
			return fmt.Errorf("--production: %s", risk.what)
		} else if risk.is && (!local || !risk.abroad) {
			o.Log.Warn(risk.what)
		}
	}
	for _, at := range []struct{ flag, place string }{{"--ledger", o.ledger}, {"--head", o.head}} {
		if !ledger.InDatabase(at.place) {
			continue
		}
		switch exposed, err := postgres.Exposed(at.place); {
		case err != nil:
			return err
		case exposed != "" && o.production:
			return fmt.Errorf("--production: %s %s", at.flag, exposed)
		case exposed != "":
			o.Log.Warn(at.flag + " " + exposed)
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

// beside reports whether ledger and secret are files of one folder.
func (o *gatewayOptions) beside() bool {
	if ledger.InDatabase(o.ledger) {
		return false
	}
	return folder(o.ledger) == folder(o.secret)
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
	if err := writable(o.keys); err != nil {
		if o.production {
			return nil, fmt.Errorf("--production: --keys: %w", err)
		}
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
	if err := writable(o.verify); err != nil {
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
