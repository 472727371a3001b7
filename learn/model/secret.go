package model

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/evidence"
	"sotto/internal/regular"
)

// SecretFile is the file of a model's folder that holds its [Secret].
const SecretFile = evidence.SecretFile

const secretSize = 32

// ErrNoSecret is wrapped by [ReadSecret] where a folder has none: it was made before
// folders had one, or is that of a head, which has none on purpose.
var ErrNoSecret = errors.New("the model's folder has no secret")

// Secret keys whatever names a model's training outside of the trusted side. A plain
// hash of weights or of rows would let whoever knows all training rows but one try
// candidates for the last. It is drawn anew by each training and never derived from
// the seed, and no other file of the folder depends on it. It prints as one word.
type Secret struct{ key [secretSize]byte }

// NewSecret draws a secret.
func NewSecret() Secret {
	var s Secret
	rand.Read(s.key[:]) // it never returns an error
	return s
}

// ReadSecret reads the secret of a model's folder, which nobody but its owner may
// read. Where there is none the error wraps [ErrNoSecret].
func ReadSecret(dir string) (Secret, error) {
	path := filepath.Join(dir, SecretFile)
	f, err := regular.OpenSecret(path, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return Secret{}, fmt.Errorf("model: %s: %w", dir, ErrNoSecret)
	} else if err != nil {
		return Secret{}, fmt.Errorf("model: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(f)
	if err != nil {
		return Secret{}, fmt.Errorf("model: the secret cannot be read: %w", err)
	}
	var s Secret
	digits := bytes.TrimSuffix(content, []byte("\n"))
	if len(digits) != hex.EncodedLen(secretSize) {
		return Secret{}, fmt.Errorf("model: the secret %s is damaged, must hold %d hexadecimal digits; copy the model's folder whole", path, hex.EncodedLen(secretSize))
	}
	if _, err = hex.Decode(s.key[:], digits); err != nil || s == (Secret{}) {
		return Secret{}, fmt.Errorf("model: the secret %s is damaged, must hold %d hexadecimal digits that are not all zeros; copy the model's folder whole", path, hex.EncodedLen(secretSize))
	}
	return s, nil
}

// text is what a file of the secret holds.
func (s Secret) text() []byte { return append(hex.AppendEncode(nil, s.key[:]), '\n') }

// Keyed is HMAC-SHA-256 of a purpose and parts, each after its length, so that no two
// lists run into each other. Who does not have the secret learns nothing from it but
// whether two are equal.
func (s Secret) Keyed(purpose string, parts ...[]byte) [sha256.Size]byte {
	if s == (Secret{}) {
		panic("model: a secret that was never drawn keys nothing")
	}
	h := hmac.New(sha256.New, s.key[:])
	enter := func(part []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	enter([]byte(purpose))
	for _, p := range parts {
		enter(p)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Format implements fmt.Formatter, for every verb, so that none shows more.
func (s Secret) Format(f fmt.State, _ rune) {
	io.WriteString(f, "secret") //nolint:errcheck // as fmt does
}

// writeSynced writes a new file that is on disk when it returns.
func writeSynced(path string, content []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return nil
}
