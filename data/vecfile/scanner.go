package vecfile

import (
	"bytes"
	"encoding/json"
	"strconv"
)

const (
	notJSON = "not valid JSON"

	// maxDepth bounds the stack that a value to be skipped can claim.
	maxDepth = 256
)

// scanner reads exactly the JSON of RFC 8259, without the reflection and the
// copies of encoding/json. A method returns "" or the reason why it stopped,
// and then i is at the fault.
type scanner struct {
	b []byte
	i int
}

// peek returns the byte at hand, or 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// numbers appends an array of numbers to dst.
func (s *scanner) numbers(dst []float64) (_ []float64, reason string) {
	if s.peek() != '[' {
		return dst, "not an array of numbers"
	}
	s.i++
	if s.space(); s.peek() == ']' {
		s.i++
		return dst, ""
	}
	for {
		v, reason := s.number()
		if reason != "" {
			return dst, reason
		}
		if len(dst) == maxWidth {
			return dst, tooWide()
		}
		dst = append(dst, v)
		s.space()
		switch s.peek() {
		case ',':
			s.i++
			s.space()
		case ']':
			s.i++
			return dst, ""
		default:
			return dst, notJSON
		}
	}
}

// number reads a finite number.
func (s *scanner) number() (v float64, reason string) {
	start := s.i
	if reason := s.literal(); reason != "" {
		s.i = start
		return 0, reason
	}
	// The string does not escape, so short numbers are parsed without a copy
	// on the heap.
	v, err := strconv.ParseFloat(string(s.b[start:s.i]), 64)
	if err != nil { // the syntax is right, so it is the range
		s.i = start
		return 0, outOfRange
	}
	return v, ""
}

// literal moves past a number.
func (s *scanner) literal() (reason string) {
	if s.peek() == '-' {
		s.i++
	}
	switch c := s.peek(); {
	case c == '0':
		s.i++
	case c >= '1' && c <= '9':
		s.digits()
	case c == 'N' || c == 'I': // what Python writes
		return notFinite
	case c == 'n':
		return missing
	default:
		return notNumber
	}
	if s.peek() == '.' {
		if s.i++; !s.digits() {
			return notNumber
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		if !s.digits() {
			return notNumber
		}
	}
	return ""
}

// digits moves past digits and reports whether there were any.
func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && s.b[s.i]-'0' <= 9 {
		s.i++
	}
	return s.i > start
}

// key reads a key of an object and moves to its value.
func (s *scanner) key() (key []byte, reason string) {
	start := s.i
	if reason := s.text(); reason != "" {
		return nil, reason
	}
	key = s.b[start+1 : s.i-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		var decoded string
		if json.Unmarshal(s.b[start:s.i], &decoded) != nil {
			s.i = start
			return nil, notJSON
		}
		key = []byte(decoded)
	}
	if s.space(); s.peek() != ':' {
		return nil, notJSON
	}
	s.i++
	s.space()
	return key, ""
}

// text moves past a string.
func (s *scanner) text() (reason string) {
	if s.peek() != '"' {
		return notJSON
	}
	for s.i++; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return ""
		case c < ' ':
			return notJSON
		case c == '\\':
			s.i++
			if !s.escape() {
				return notJSON
			}
		}
	}
	return notJSON
}

// escape moves to the last byte of an escape, after its backslash.
func (s *scanner) escape() bool {
	c := s.peek()
	if c != 'u' {
		return c != 0 && bytes.IndexByte([]byte(`"\/bfnrt`), c) >= 0
	}
	for range 4 {
		s.i++
		switch c := s.peek(); {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}
