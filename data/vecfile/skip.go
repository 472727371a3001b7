package vecfile

import "bytes"

// skip moves past a value of any kind. What it holds is not wanted, but it
// must be JSON, or the vector beside it cannot be trusted.
func (s *scanner) skip(depth int) (reason string) {
	if depth == maxDepth {
		return "nested too deeply"
	}
	switch c := s.peek(); c {
	case '"':
		return s.text()
	case '[', '{':
		return s.skipAll(c, depth)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	if s.literal() != "" {
		return notJSON
	}
	return ""
}

// skipAll moves past an array or an object, whose bracket is open.
func (s *scanner) skipAll(open byte, depth int) (reason string) {
	end := open + 2 // both in ASCII
	s.i++
	if s.space(); s.peek() == end {
		s.i++
		return ""
	}
	for {
		if open == '{' {
			if _, reason := s.key(); reason != "" {
				return reason
			}
		}
		if reason := s.skip(depth + 1); reason != "" {
			return reason
		}
		s.space()
		switch s.peek() {
		case ',':
			s.i++
			s.space()
		case end:
			s.i++
			return ""
		default:
			return notJSON
		}
	}
}

// word moves past a literal name.
func (s *scanner) word(w string) (reason string) {
	if !bytes.HasPrefix(s.b[s.i:], []byte(w)) {
		return notJSON
	}
	s.i += len(w)
	return ""
}
