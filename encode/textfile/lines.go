package textfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// lines reads lines.
type lines struct {
	r    *Reader
	in   *bufio.Reader
	n    int64  // lines read so far
	long []byte // holds a line that outgrows the buffer
}

func newLines(r *Reader, in io.Reader) lines { return lines{r: r, in: withoutMark(in)} }

func (*lines) close() error { return nil }

// read returns the next line without its end, valid until the next call.
func (l *lines) read() ([]byte, error) {
	b, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long)+len(b) > maxText {
				return nil, l.r.errorf("line %d has more than %d MiB, must have fewer", l.n+1, maxText>>20)
			}
			l.long = append(l.long, b...)
			b, err = l.in.ReadSlice('\n')
		}
		l.long = append(l.long, b...)
		b = l.long
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(b) == 0) {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, l.r.errorf("line %d: %w", l.n+1, err)
	}
	l.n++
	return bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r")), nil
}

// textLines reads plain text.
type textLines struct{ lines }

// next implements [source].
func (l *textLines) next() (string, int64, error) {
	b, err := l.read()
	return string(b), l.n, err
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
			return "", j.n, err
		}
		if b = bytes.TrimSpace(b); len(b) == 0 {
			continue
		}
		s, reason := j.parse(b)
		if reason != "" {
			return "", j.n, j.r.rowError(j.n, reason)
		}
		return s, j.n, nil
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
