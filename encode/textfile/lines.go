package textfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"sotto/internal/rowfile"
)

// lines reads lines.
type lines struct {
	*rowfile.Lines
	r *Reader
}

func newLines(r *Reader) lines { return lines{rowfile.NewLines(r.in, maxText), r} }

// read returns the next line without its end, valid until the next call.
func (l *lines) read() ([]byte, error) {
	b, err := l.Read()
	switch {
	case errors.Is(err, rowfile.ErrLong):
		err = l.r.errorf("line %d has more than %d MiB, must have fewer", l.N+1, maxText>>20)
	case err != nil && !errors.Is(err, io.EOF):
		err = l.r.errorf("line %d: %w", l.N+1, err)
	}
	return b, err
}

// textLines reads plain text.
type textLines struct{ lines }

// next implements [source].
func (l *textLines) next() (string, int64, error) {
	b, err := l.read()
	return string(b), l.N, err
}

// jsonl reads JSON lines.
type jsonl struct{ lines }

// defaultKey is the key that holds the text if none is named.
const defaultKey = "text"

// next implements [source].
func (j *jsonl) next() (string, int64, error) {
	for {
		b, err := j.read()
		if err != nil {
			return "", j.N, err
		}
		if b = bytes.TrimSpace(b); len(b) == 0 {
			continue
		}
		s, reason := j.parse(b)
		if reason != "" {
			return "", j.N, j.r.rowError(j.N, reason)
		}
		return s, j.N, nil
	}
}

// parse finds the text of a line. What encoding/json says may quote the line, so
// it is not used.
func (j *jsonl) parse(b []byte) (s, reason string) {
	if !json.Valid(b) {
		return "", "not valid JSON"
	}
	value := json.RawMessage(b)
	switch {
	case b[0] == '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(b, &object) != nil {
			return "", "not valid JSON"
		}
		key := j.r.opt.Column
		if key == "" {
			key = defaultKey
		}
		found := false
		if value, found = object[key]; !found {
			return "", "the key of the text is missing"
		}
	case j.r.opt.Column != "":
		return "", "not an object, must be one that has the key of the text"
	}
	if value[0] != '"' {
		return "", "the text is not a string"
	}
	if json.Unmarshal(value, &s) != nil {
		return "", "not valid JSON"
	}
	// Decoding has mended bytes that are not UTF-8, which are to be counted.
	if !utf8.Valid(value) {
		j.r.invalid++
	}
	return s, ""
}
