package gateway

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/promise/noise"
	"sotto/service/ledger"
)

const secretSize = 32

// maxSecretFile bounds a file that may not be one of a secret.
const maxSecretFile = 1 << 10

// Secret keys the noise of every release and the names under which releases
// are paid for. Whoever has it can take the noise away from all that was
// released under it. It prints as its id alone.
type Secret struct{ key [secretSize]byte }

// NewSecret makes a secret of 32 bytes.
func NewSecret(key []byte) (Secret, error) {
	var s Secret
	if len(key) != secretSize {
		return s, fmt.Errorf("gateway: the secret has %d bytes, must have %d", len(key), secretSize)
	}
	copy(s.key[:], key)
	if s == (Secret{}) {
		return s, errors.New("gateway: the secret is all zeros, must be random")
	}
	return s, nil
}

// LoadSecret reads the secret from a file that nobody but its owner can read.
// If there is none and create is set, it makes one; made says so.
func LoadSecret(path string, create bool) (s Secret, made bool, err error) {
	f, err := regular.OpenSecret(path, maxSecretFile)
	if errors.Is(err, fs.ErrNotExist) && create {
		s, err = createSecret(path)
		return s, err == nil, err
	} else if err != nil {
		return s, false, fmt.Errorf("gateway: the secret: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	key := make([]byte, secretSize+1)
	n, err := f.Read(key)
	if err != nil {
		return s, false, fmt.Errorf("gateway: the secret %s cannot be read, must hold %d random bytes", path, secretSize)
	}
	s, err = NewSecret(key[:n])
	return s, false, err
}

// createSecret makes a file with a new secret, whole and on disk before it is
// used: a release under a secret that a crash takes away is paid for twice.
func createSecret(path string) (Secret, error) {
	var s Secret
	rand.Read(s.key[:]) // it never returns an error
	f, err := os.CreateTemp(filepath.Dir(path), ".secret-")
	if err != nil {
		return s, fmt.Errorf("gateway: no secret can be made: %w", err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // its other name stays
	_, err = f.Write(s.key[:])
	err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
	if err == nil {
		err = os.Link(f.Name(), path) // fails if another process was quicker
	}
	if err == nil {
		err = atomicfile.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return Secret{}, fmt.Errorf("gateway: no secret can be made: %w", err)
	}
	return s, nil
}

// ID names the secret without telling anything of it: the first 8 digits of a
// hash.
func (s Secret) ID() string {
	sum := sha256.Sum256(append([]byte("id"), s.key[:]...))
	return fmt.Sprintf("%x", sum[:4])
}

// ChainKey is the key of the MAC over the ledger's log: see [ledger.Options]. It
// tells nothing of the secret, and of what else is made with it.
func (s Secret) ChainKey() []byte {
	key := s.mac([]byte("ledger chain"))
	return key[:]
}

// Deriver returns what makes noise, and names that tell nothing, from parts and this
// secret, for who releases what no gateway does. The first part always names who that
// is, so that no release of theirs draws the noise of another.
func (s Secret) Deriver() *noise.Deriver { return noise.NewDeriver(s.key[:]) }

// Format implements fmt.Formatter, for every verb, so that none shows more.
func (s Secret) Format(f fmt.State, _ rune) {
	io.WriteString(f, "secret "+s.ID()) //nolint:errcheck // as fmt does
}

// mac is HMAC-SHA-256 of parts, each after its length, so that no two lists
// run into each other.
func (s Secret) mac(parts ...[]byte) ledger.Digest {
	h := hmac.New(sha256.New, s.key[:])
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return ledger.Digest(h.Sum(nil))
}
