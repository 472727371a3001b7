package signed

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/scrypt"

	"sotto/internal/regular"
)

// What names the algorithms in minisign's files.
var (
	algEd25519 = []byte("Ed") // of keys, and of signatures of the file itself
	algHashed  = []byte("ED") // of signatures of the file's BLAKE2b-512
	kdfNone    = []byte{0, 0}
	kdfScrypt  = []byte("Sc")
	sumBlake2b = []byte("B2")
)

const (
	idSize       = 8
	publicSize   = 2 + idSize + ed25519.PublicKeySize
	sumSize      = 32
	sealedSize   = idSize + ed25519.PrivateKeySize + sumSize
	secretSize   = 2 + 2 + 2 + 32 + 8 + 8 + sealedSize
	maxKeyFile   = 4 << 10
	commentStart = "untrusted comment: "
)

// PublicKey checks signatures.
type PublicKey struct {
	id  [idSize]byte
	key ed25519.PublicKey
}

// SecretKey signs. It prints as two words, and never as what it is.
type SecretKey struct {
	id  [idSize]byte
	key ed25519.PrivateKey
}

// ErrKey is wrapped where a file is no key.
var ErrKey = errors.New("this is no key of sotto or minisign")

// NewKey draws a key.
func NewKey() SecretKey {
	var k SecretKey
	rand.Read(k.id[:]) // it never returns an error
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err) // as above
	}
	k.key = key
	return k
}

// Public returns the key that checks what k signs.
func (k SecretKey) Public() PublicKey {
	return PublicKey{k.id, k.key.Public().(ed25519.PublicKey)}
}

// Format implements fmt.Formatter, for every verb, so that none shows more.
func (SecretKey) Format(f fmt.State, _ rune) {
	io.WriteString(f, "secret key") //nolint:errcheck // as fmt does
}

// ID is how the key is called, as minisign writes it.
func (k PublicKey) ID() string { return fmt.Sprintf("%016X", binary.LittleEndian.Uint64(k.id[:])) }

// String is the key on one line, as minisign -P takes it.
func (k PublicKey) String() string {
	return base64.StdEncoding.EncodeToString(bytes.Join([][]byte{algEd25519, k.id[:], k.key}, nil))
}

// Text is what a file of the key holds.
func (k PublicKey) Text() []byte {
	return fmt.Appendf(nil, "%sminisign public key %s\n%s\n", commentStart, k.ID(), k)
}

// ReadPublicKey reads a file of a public key.
func ReadPublicKey(path string) (PublicKey, error) {
	content, err := regular.Read(path, maxKeyFile)
	if err != nil {
		return PublicKey{}, fmt.Errorf("signed: %w", err)
	}
	k, err := ParsePublicKey(content)
	if err != nil {
		return k, fmt.Errorf("signed: %s: %w", path, err)
	}
	return k, nil
}

// ParsePublicKey reads a public key: its line alone, or with minisign's comment above.
func ParsePublicKey(content []byte) (PublicKey, error) {
	lines := linesOf(content)
	if len(lines) == 2 && strings.HasPrefix(lines[0], commentStart) {
		lines = lines[1:]
	}
	if len(lines) != 1 {
		return PublicKey{}, fmt.Errorf("%w, must be a public one, two lines", ErrKey)
	}
	b, err := base64.StdEncoding.Strict().DecodeString(lines[0])
	if err == nil && len(b) == secretSize {
		return PublicKey{}, errors.New("this is a secret key, must be the public one, which checks")
	}
	if err != nil || len(b) != publicSize || !bytes.HasPrefix(b, algEd25519) {
		return PublicKey{}, fmt.Errorf("%w, must be a public one, two lines", ErrKey)
	}
	return PublicKey{[idSize]byte(b[2:]), ed25519.PublicKey(b[2+idSize:])}, nil
}

// The cost of guessing a password that encrypts a key of ours: 128 MiB of memory, as
// OWASP recommends. minisign takes a gibibyte, which is read as well.
const (
	opsLimit = 1 << 22
	memLimit = 1 << 27
)

// Text is what a file of the key holds: encrypted by a password, or, without one, as it is.
func (k SecretKey) Text(password []byte) ([]byte, error) {
	sealed := append(append(k.id[:], k.key...), make([]byte, sumSize)...)
	kdf, salt, ops, mem := kdfNone, make([]byte, 32), uint64(0), uint64(0)
	if len(password) > 0 {
		copy(sealed[idSize+ed25519.PrivateKeySize:], k.sum())
		rand.Read(salt)
		kdf, ops, mem = kdfScrypt, opsLimit, memLimit
		stream, err := derive(password, salt, ops, mem)
		if err != nil {
			return nil, err
		}
		subtle.XORBytes(sealed, sealed, stream)
	}
	b := bytes.Join([][]byte{algEd25519, kdf, sumBlake2b, salt, binary.LittleEndian.AppendUint64(nil, ops), binary.LittleEndian.AppendUint64(nil, mem), sealed}, nil)
	return fmt.Appendf(nil, "%sminisign secret key %s\n%s\n", commentStart, k.Public().ID(), base64.StdEncoding.EncodeToString(b)), nil
}

// sum tells whether a key was decrypted by its password.
func (k SecretKey) sum() []byte {
	sum := blake2b.Sum256(bytes.Join([][]byte{algEd25519, k.id[:], k.key}, nil))
	return sum[:]
}

// ParseSecretKey reads what a file of a secret key holds. For one that is encrypted it
// asks for the password.
func ParseSecretKey(content []byte, ask func() ([]byte, error)) (SecretKey, error) {
	lines := linesOf(content)
	if len(lines) != 2 || !strings.HasPrefix(lines[0], commentStart) {
		return SecretKey{}, fmt.Errorf("%w, must be a secret one, two lines", ErrKey)
	}
	b, err := base64.StdEncoding.Strict().DecodeString(lines[1])
	if err == nil && len(b) == publicSize {
		return SecretKey{}, errors.New("this is a public key, must be the secret one, which signs")
	}
	if err != nil || len(b) != secretSize || !bytes.HasPrefix(b, algEd25519) || !bytes.Equal(b[4:6], sumBlake2b) {
		return SecretKey{}, fmt.Errorf("%w, must be a secret one, two lines", ErrKey)
	}
	kdf, salt, sealed := b[2:4], b[6:38], b[54:]
	encrypted := bytes.Equal(kdf, kdfScrypt)
	switch {
	case encrypted:
		password, err := ask()
		if err != nil {
			return SecretKey{}, err
		}
		stream, err := derive(password, salt, binary.LittleEndian.Uint64(b[38:]), binary.LittleEndian.Uint64(b[46:]))
		if err != nil {
			return SecretKey{}, err
		}
		subtle.XORBytes(sealed, sealed, stream)
	case !bytes.Equal(kdf, kdfNone):
		return SecretKey{}, errors.New("the key is encrypted in a way that is not known here, must be by scrypt or not at all")
	}
	k := SecretKey{[idSize]byte(sealed), ed25519.PrivateKey(sealed[idSize : idSize+ed25519.PrivateKeySize])}
	sum := sealed[idSize+ed25519.PrivateKeySize:]
	whole := ed25519.NewKeyFromSeed(k.key.Seed()).Equal(k.key)
	switch {
	case encrypted && subtle.ConstantTimeCompare(sum, k.sum()) == 0:
		return SecretKey{}, errors.New("the password is wrong, or the key is damaged")
	case !whole:
		return SecretKey{}, errors.New("the secret key is damaged: its halves do not belong together")
	}
	return k, nil
}

// derive stretches a password as libsodium's crypto_pwhash_scryptsalsa208sha256 does, by
// its rule that makes parameters of two limits.
func derive(password, salt []byte, ops, mem uint64) ([]byte, error) {
	const r = 8
	ops = max(ops, 32768)
	if ops > 1<<27 || mem > 1<<30 {
		return nil, errors.New("the key's password takes more than a gibibyte of memory to check, must take less")
	}
	log, p := uint64(1), uint64(1)
	most := mem / (r * 128)
	if ops < mem/32 {
		most = ops / (r * 4)
	}
	for log < 63 && uint64(1)<<log <= most/2 {
		log++
	}
	if ops >= mem/32 {
		p = min(ops/4>>log, 0x3fffffff) / r
	}
	if p == 0 {
		return nil, fmt.Errorf("%w: limits of its password make no sense", ErrKey)
	}
	stream, err := scrypt.Key(password, salt, 1<<log, r, int(p), sealedSize)
	if err != nil {
		return nil, fmt.Errorf("signed: %w", err)
	}
	return stream, nil
}

// linesOf returns the lines of a file, of which the last may lack its end.
func linesOf(content []byte) []string {
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}
