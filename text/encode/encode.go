// Package encode turns texts into vectors, on the trusted side: by hashing
// their words, which needs no file, by word vectors, or by asking a program or
// an address.
//
// The vectors are raw and not private: whoever holds them can tell much of the
// text and of its author, and the words themselves can often be read from them.
// Release them through a mechanism of package mech, and nothing else. The
// smallest use is
//
//	e, err := encode.Open("hash", "")
//	if err != nil {
//		return err
//	}
//	x, err := encode.Texts(ctx, e, texts, runtime.NumCPU())
package encode

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sotto/internal/regular"
)

// Encoder turns a text into a vector. It is safe for concurrent use, and equal
// texts give equal bits.
type Encoder interface {
	Source

	// Encode fills dst with the vector of text: zeros if no word of it is
	// known. It panics if dst does not have length Dim.
	Encode(dst []float32, text string)
}

// checkLength panics if dst is not of the length that an encoder promises.
func checkLength(dst []float32, dim int) {
	if len(dst) != dim {
		panic(fmt.Sprintf("encode: vector has length %d, want %d", len(dst), dim))
	}
}

// The word vectors behind the name "glove": GloVe 6B of 100 dimensions,
// reduced to its commonest words and those of some lexicons.
const (
	gloveFile = "glove.6B.100d.102858.txt"
	gloveDim  = 100
	gloveRows = 102_858
)

// Open makes the encoder that spec names, one that is computed in this process:
//
//	hash, hash:N    see [Hash]; N is from 1 to 1,048,576, and 512 if left out
//	glove           the word vectors glove/glove.6B.100d.102858.txt, or that
//	                name with .gz, below dataDir, which is what dataset.Dir names
//	a path          a file of word vectors, plain or compressed with gzip; see
//	                [ReadWordVectors]
//	PATH.svec       a mapped file of word vectors, maybe followed by ?pool=sif or
//	                ?pool=concat:N; see [Mapped]
//
// Nothing is run and nothing is sent, so that a name may come from a file.
// An error about a file that is absent wraps [fs.ErrNotExist].
func Open(spec, dataDir string) (Source, error) {
	if kind, _, more := strings.Cut(spec, ":"); more && (kind == "endpoint" || kind == "command") {
		return nil, fmt.Errorf("encode: encoder begins with %s:, must be one that is computed here", kind)
	}
	return OpenContext(context.Background(), spec, dataDir)
}

// OpenContext is [Open] with two more, which leave this process. Only what a person
// named may come here, and a test holds that it comes from package catalogue alone:
//
//	endpoint:URL?model=NAME&key=VARIABLE
//	                an address that every text is sent to; &dim=N and &batch=N
//	                may follow; see [Endpoint]
//	command:PROGRAM ARGUMENTS
//	                a program, found as a shell finds it, and its arguments, split
//	                at white space; see [Command]
//
// Both are asked for the vector of the text "a" at once, unless dim says how long
// it is.
func OpenContext(ctx context.Context, spec, dataDir string) (Source, error) {
	kind, rest, more := strings.Cut(spec, ":")
	switch {
	case kind == "hash" && !more:
		return Hash{}, nil
	case kind == "hash":
		dim, err := strconv.Atoi(rest)
		if err != nil || strconv.Itoa(dim) != rest {
			return nil, fmt.Errorf("encode: hash has size %.20q, must have a whole number from 1 to %d", rest, maxHashDim)
		}
		return NewHash(dim)
	case kind == "endpoint" && more:
		return openEndpoint(ctx, rest)
	case kind == "command" && more:
		return openCommand(ctx, rest)
	case spec == "glove":
		return openGlove(dataDir)
	}
	if path, query, ok := mappedSpec(spec); ok {
		return openMapped(path, query)
	}
	info, err := os.Stat(spec)
	if err != nil {
		return nil, fmt.Errorf("encode: encoder is %q, must be hash, hash:N, glove, endpoint:URL, command:PROGRAM or the path of a file of word vectors: %w", spec, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("encode: %s is no regular file, must be a file of word vectors", spec)
	}
	return openWordVectors(spec, spec)
}

// openGlove looks for the file of GloVe and for its compressed form.
func openGlove(dataDir string) (Encoder, error) {
	plain := filepath.Join(dataDir, "glove", gloveFile)
	for _, path := range []string{plain, plain + ".gz"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		w, err := openWordVectors("glove", path)
		if err != nil {
			return nil, err
		}
		if w.Len() != gloveRows || w.Dim() != gloveDim {
			return nil, fmt.Errorf("encode: %s holds %d words of %d dimensions, must hold %d of %d: get it again, or give its path for what it is",
				path, w.Len(), w.Dim(), gloveRows, gloveDim)
		}
		return w, nil
	}
	return nil, fmt.Errorf("encode: glove is neither at %s nor at that name with .gz: put it there, name its folder in SOTTO_DATA, or use hash: %w",
		plain, fs.ErrNotExist)
}

// openWordVectors reads the word vectors at path.
func openWordVectors(name, path string) (*WordVectors, error) {
	in, _, err := regular.Open(path, regular.Most) // their number bounds what is kept
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	w, err := readWordVectors(name, in)
	if err != nil {
		return nil, fmt.Errorf("encode: %s: %w", path, err)
	}
	return w, nil
}
