package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"sotto/text/encode/bert"
	"sotto/text/encode/static"
)

// Digest returns the SHA-256 of what decides the vectors of the encoder that spec
// names, as [Open] takes it: of its files, or of the name itself where there is none,
// such as for an address, of which nothing else is known.
func Digest(spec string) (string, error) {
	switch spec {
	case "default":
		return static.DefaultDigest(), nil
	case "minilm":
		i, err := Find(spec)
		if err != nil {
			return "", err
		}
		return bert.Digest(i.Path)
	}
	path, query, _ := strings.Cut(spec, "?")
	switch info, err := os.Stat(path); {
	case err != nil:
		sum := sha256.Sum256([]byte(spec))
		return hex.EncodeToString(sum[:]), nil
	case info.IsDir():
		return bert.Digest(path)
	}
	sum, err := digest(path)
	if err != nil || query == "" {
		return sum, err
	}
	both := sha256.Sum256([]byte(sum + "?" + query))
	return hex.EncodeToString(both[:]), nil
}
