package vecfile

import "bytes"

// vectorKeys are the keys of an object that may hold its vector.
const vectorKeys = "x, vector, embedding or y"

// maxKeys bounds the time to look for duplicates among the keys of an object.
const maxKeys = 1024

// jsonl reads JSON lines.
type jsonl struct {
	lines
	row  []float64
	keys [][]byte // of the current line's object
}

// next implements [rowReader].
func (j *jsonl) next() ([]float64, int64, error) {
	line, err := j.lines.next()
	if err != nil {
		return nil, j.N, err
	}
	s := scanner{b: line}
	s.space()
	var reason string
	switch s.peek() {
	case '[':
		j.row, reason = s.numbers(j.row[:0])
	case '{':
		reason = j.object(&s)
	default:
		reason = "neither an array nor an object"
	}
	if reason == "" {
		if s.space(); s.i < len(line) {
			reason = "more text after the value"
		}
	}
	if reason != "" {
		return nil, j.N, j.bad(s.i, reason)
	}
	return j.row, j.N, nil
}

// object reads an object that holds one vector and notes its other keys.
func (j *jsonl) object(s *scanner) (reason string) {
	start, found := s.i, false
	j.keys = j.keys[:0]
	s.i++ // the brace
	for s.space(); s.peek() != '}'; s.space() {
		if len(j.keys) > 0 {
			if s.peek() != ',' {
				return notJSON
			}
			s.i++
			s.space()
		}
		at := s.i
		key, reason := s.key()
		if reason != "" {
			return reason
		}
		if reason = j.note(key); reason != "" {
			s.i = at
			return reason
		}
		switch string(key) {
		case "x", "vector", "embedding", "y":
			if found {
				s.i = at
				return "more than one of the keys " + vectorKeys
			}
			found = true
			j.row, reason = s.numbers(j.row[:0])
		default:
			j.r.dropped.add(key)
			reason = s.skip(0)
		}
		if reason != "" {
			return reason
		}
	}
	s.i++ // the brace
	if !found {
		s.i = start
		return "none of the keys " + vectorKeys
	}
	return ""
}

// note remembers a key of the current object.
func (j *jsonl) note(key []byte) (reason string) {
	if len(j.keys) == maxKeys {
		return "too many keys"
	}
	for _, k := range j.keys {
		if bytes.Equal(k, key) {
			return "duplicate key"
		}
	}
	j.keys = append(j.keys, key)
	return ""
}
