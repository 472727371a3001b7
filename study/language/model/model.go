// Package model holds what sotto knows of a language in one file: how sentences
// end, and tags, trees and lemmas. "sotto language train" makes such a file from
// a treebank, and package english holds one that is built in.
//
// A file holds words of the treebank that it was trained on, and as much of a
// treebank as its lemmas tell: it is as public as the treebank. The smallest use
// is
//
//	m, err := model.Load("english.model")
//	…
//	d, err := language.Pipeline{m}.Document("Ann ran.")
package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/study/language"
	"sotto/study/language/parse"
)

// Model finds sentences, and then tags, trees and lemmas. Several goroutines may
// share it.
type Model struct {
	notice    string
	sentences *Splitter
	trees     *parse.Model
}

var _ language.Annotator = (*Model)(nil)

// Annotate implements [language.Annotator].
func (m *Model) Annotate(d *language.Document) error {
	if err := m.sentences.Annotate(d); err != nil {
		return err
	}
	return m.trees.Annotate(d)
}

// Sentences returns what finds sentences alone.
func (m *Model) Sentences() language.Annotator { return m.sentences }

// Trees returns what finds tags, trees and lemmas in sentences that are given.
func (m *Model) Trees() language.Annotator { return m.trees }

// Knows reports whether a word, in small letters, is known: see [parse.Model.Knows].
func (m *Model) Knows(word string) bool { return m.trees.Knows(word) }

// Notice says on whose work the model rests, and under which licence it is.
func (m *Model) Notice() string { return m.notice }

// New returns a model of its parts.
func New(notice string, s *Splitter, t *parse.Model) *Model {
	return &Model{notice: notice, sentences: s, trees: t}
}

// Use gives a model the encoder that its trees were learnt with, before it is first
// used.
func (m *Model) Use(e parse.Encoder) error { return m.trees.Use(e) }

// Train learns from the sentences of a treebank. The same settings and treebank
// give the same model, on any number of workers.
func Train(ctx context.Context, c parse.Config, notice string, d *language.Document, given parse.Given, workers int, progress parse.Progress) (*Model, error) {
	trees, err := parse.Train(ctx, c, d, given, workers, progress)
	if err != nil {
		return nil, err
	}
	sentences, err := TrainSentences(ctx, d, c.Seed)
	if err != nil {
		return nil, err
	}
	return New(notice, sentences, trees), nil
}

// magic begins a file.
const magic = "sotto language 1\n"

// MaxFile is the most bytes that a file may have.
const MaxFile = 256 << 20

// ErrFormat is returned by [Decode] for what is no model, or a damaged one.
var ErrFormat = errors.New("model: not a file of sotto language train, or a damaged one")

// Encode returns a model as the bytes of a file: its parts, each behind its
// length, and the SHA-256 of all that.
func (m *Model) Encode() ([]byte, error) {
	trees, err := m.trees.Encode()
	if err != nil {
		return nil, err
	}
	out := []byte(magic)
	for _, part := range [][]byte{[]byte(m.notice), m.sentences.Encode(), trees} {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// Decode returns the model of the bytes of a file.
func Decode(content []byte) (*Model, error) {
	rest, is := bytes.CutPrefix(content, []byte(magic))
	if !is || len(rest) < sha256.Size {
		return nil, ErrFormat
	}
	body := content[:len(content)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], content[len(body):]) {
		return nil, ErrFormat
	}
	rest = rest[:len(rest)-sha256.Size]
	var parts [3][]byte
	for i := range parts {
		if len(rest) < 4 {
			return nil, ErrFormat
		}
		size := int(binary.LittleEndian.Uint32(rest))
		if rest = rest[4:]; size > len(rest) {
			return nil, ErrFormat
		}
		parts[i], rest = rest[:size], rest[size:]
	}
	if len(rest) != 0 {
		return nil, ErrFormat
	}
	sentences, err := DecodeSentences(parts[1])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	trees, err := parse.Decode(parts[2])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return &Model{notice: string(parts[0]), sentences: sentences, trees: trees}, nil
}

// Load reads a file. One that needs an encoder is refused: [OpenLarge] opens its
// folder.
func Load(path string) (*Model, error) {
	content, err := regular.Read(path, MaxFile)
	if err != nil {
		return nil, err
	}
	m, err := Decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.trees.Dim() > 0 {
		return nil, fmt.Errorf("%s: %w: give its folder", path, parse.ErrEncoder)
	}
	return m, nil
}

// Save writes a file, which appears whole or not at all.
func (m *Model) Save(path string) error {
	content, err := m.Encode()
	if err != nil {
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	f.Shared()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Commit()
}
