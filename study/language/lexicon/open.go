package lexicon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/regular"
)

// maxFile bounds a file of words, in bytes.
const maxFile = 64 << 20

// OpenAll opens lexicons by name or, where nothing of that name is built in, reads
// files, as [Read] does. A name must not stand there twice.
func OpenAll(names []string) ([]*Lexicon, error) {
	var all []*Lexicon
	for _, name := range names {
		l, err := openAny(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(other *Lexicon) bool { return other.Name == l.Name }) {
			return nil, fmt.Errorf("lexicon: %s is named twice, must be named once", l.Name)
		}
		all = append(all, l)
	}
	return all, nil
}

func openAny(name string) (*Lexicon, error) {
	l, unknown := Open(name)
	if unknown == nil {
		return l, nil
	}
	f, _, err := regular.Open(name, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%w, or a file: %w", unknown, err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	l, err = Read(f, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Digest tells lexicons apart by their words, categories and weights: the SHA-256 of
// what [Lexicon.Write] writes.
func (l *Lexicon) Digest() string {
	h := sha256.New()
	l.Write(h) //nolint:errcheck // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}
