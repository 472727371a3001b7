package safetensors

import (
	"fmt"
	"io"
)

// Where a sealed file has the text about its tensors, and the digest of both.
const (
	aboutKey = "state"
	sealKey  = "sha256"
)

// Seal writes tensors with a text about them, such as the state of a training, and a digest
// of both, which [ReadSealed] checks.
func Seal(w io.Writer, tensors []Tensor, about []byte) error {
	f := &File{Tensors: tensors}
	f.Metadata = map[string]string{aboutKey: string(about), sealKey: f.Digest(about)}
	return Encode(w, f)
}

// ReadSealed reads what [Seal] wrote. Damage is an error.
func ReadSealed(path string) (tensors []Tensor, about []byte, err error) {
	f, err := Read(path)
	if err != nil {
		return nil, nil, err
	}
	about = []byte(f.Metadata[aboutKey])
	if f.Digest(about) != f.Metadata[sealKey] {
		return nil, nil, fmt.Errorf("safetensors: %s is damaged: its content is not what its SHA-256 says", path)
	}
	return f.Tensors, about, nil
}
