package signed

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/blake2b"

	"sotto/internal/regular"
)

// End is what the name of a signature ends in, behind that of the file.
const End = ".minisig"

const (
	trustedStart  = "trusted comment: "
	signatureSize = 2 + idSize + ed25519.SignatureSize
	maxSignature  = 16 << 10
)

// ErrSignature is wrapped where a signature is missing, does not hold, or is another
// key's, and where a folder is not what was signed.
var ErrSignature = errors.New("the signature does not hold")

// Sign returns the signature of a file's content, as a file beside it holds it. The
// comment is signed, too, and read by everybody: one line, which tells nothing else
// than what kind of thing was signed.
func (k SecretKey) Sign(content []byte, comment string) []byte {
	if strings.ContainsAny(comment, "\r\n") {
		panic("signed: a comment has several lines, must have one")
	}
	sum := blake2b.Sum512(content)
	signature := ed25519.Sign(k.key, sum[:])
	whole := ed25519.Sign(k.key, append(bytes.Clone(signature), comment...))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Appendf(nil, "%ssignature by sotto with the key %s\n%s\n%s%s\n%s\n",
		commentStart, k.Public().ID(), encode(bytes.Join([][]byte{algHashed, k.id[:], signature}, nil)), trustedStart, comment, encode(whole))
}

// Verify refuses a signature that is not that of the content by this key. Both of
// minisign's kinds are known: of the content, and of its hash.
func (k PublicKey) Verify(content, signature []byte) error {
	lines := linesOf(signature)
	if len(lines) != 4 || !strings.HasPrefix(lines[0], commentStart) || !strings.HasPrefix(lines[2], trustedStart) {
		return fmt.Errorf("%w: the signature is damaged, must be four lines of minisign", ErrSignature)
	}
	first, err := base64.StdEncoding.Strict().DecodeString(lines[1])
	whole, failed := base64.StdEncoding.Strict().DecodeString(lines[3])
	if err != nil || failed != nil || len(first) != signatureSize || len(whole) != ed25519.SignatureSize {
		return fmt.Errorf("%w: the signature is damaged, must be four lines of minisign", ErrSignature)
	}
	alg, id, made := first[:2], first[2:2+idSize], first[2+idSize:]
	if !bytes.Equal(id, k.id[:]) {
		return fmt.Errorf("%w: the signature is by the key %016X, must be by %s", ErrSignature, binary.LittleEndian.Uint64(id), k.ID())
	}
	switch {
	case bytes.Equal(alg, algHashed):
		sum := blake2b.Sum512(content)
		content = sum[:]
	case !bytes.Equal(alg, algEd25519):
		return fmt.Errorf("%w: the signature is of a kind that is not known here, must be Ed25519", ErrSignature)
	}
	if !ed25519.Verify(k.key, content, made) {
		return fmt.Errorf("%w: it was changed after it was signed, or the signature is another's", ErrSignature)
	}
	if !ed25519.Verify(k.key, append(bytes.Clone(made), strings.TrimPrefix(lines[2], trustedStart)...), whole) {
		return fmt.Errorf("%w: the trusted comment of the signature was changed", ErrSignature)
	}
	return nil
}

// Read returns the content of a file of at most so many bytes, if the signature beside
// it holds. It is read once.
func (k PublicKey) Read(path string, most int64) ([]byte, error) {
	content, err := regular.Read(path, most)
	if err != nil {
		return nil, fmt.Errorf("signed: %w", err)
	}
	signature, err := regular.Read(path+End, maxSignature)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("signed: %s: %w: there is no %s beside it", path, ErrSignature, filepath.Base(path)+End)
	case err != nil:
		return nil, fmt.Errorf("signed: %w", err)
	}
	if err = k.Verify(content, signature); err != nil {
		return nil, fmt.Errorf("signed: %s: %w", path, err)
	}
	return content, nil
}
