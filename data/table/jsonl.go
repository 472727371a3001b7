package table

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// keysOf is how many objects say which columns there are.
const keysOf = 1000

// textKey is the column of lines that are a string and no object.
const textKey = "text"

// jsonl reads JSON lines.
type jsonl struct {
	lines
	keys  []string
	seen  int // objects that the keys are from
	place map[string]int
}

// newJSONL finds the keys.
func newJSONL(r *Reader) (*jsonl, error) {
	j := &jsonl{lines: newLines(r)}
	sample := r.in.sample
	if len(bytes.TrimSpace(sample)) == 0 {
		return nil, r.errorf("%w", ErrEmpty)
	}
	found := map[string]bool{}
	for line := range bytes.Lines(sample) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || !json.Valid(line) {
			continue // next says where, if it is no cut
		}
		if j.seen == keysOf {
			break
		}
		j.seen++
		add := func(key string) {
			if !found[key] {
				found[key] = true
				j.keys = append(j.keys, key)
			}
		}
		switch line[0] {
		case '{':
			members(line, func(key, _ []byte) { add(unquote(key)) })
		case '"':
			add(textKey)
		}
	}
	if len(j.keys) == 0 {
		return nil, r.errorf("it does not begin with JSON lines, must hold an object with keys in each")
	}
	return j, nil
}

// openJSONL reads lines whose keys nobody says but who asks for them.
func openJSONL(r *Reader) *jsonl { return &jsonl{lines: newLines(r)} }

// ask implements [asked].
func (j *jsonl) ask(name string) (int, bool) {
	if name == "" {
		return 0, false
	}
	at := slices.Index(j.keys, name)
	if at < 0 {
		j.keys, at = append(j.keys, name), len(j.keys)
	}
	return at, true
}

// jsonArray reports whether a file that begins with a bracket is an array of
// rows, and not a first line that is a list.
func jsonArray(begin []byte) bool {
	rest := bytes.TrimLeft(begin[1:], " \t\r\n")
	return len(rest) > 0 && (rest[0] == '{' || rest[0] == '[')
}

// names implements [source].
func (j *jsonl) names() []string { return j.keys }

// next implements [source].
func (j *jsonl) next(row []Value) (int64, error) {
	if j.place == nil {
		j.place = map[string]int{}
		for i, at := range j.r.pick {
			j.place[j.keys[at]] = i
		}
	}
	for {
		b, err := j.read()
		if err != nil {
			return j.N, err
		}
		if b = bytes.TrimSpace(b); len(b) == 0 {
			continue
		}
		if reason := j.parse(b, row); reason != "" {
			return j.N, j.r.rowError(j.N, reason)
		}
		return j.N, nil
	}
}

// parse fills a row. What encoding/json says may quote the line, so it is not
// used.
func (j *jsonl) parse(b []byte, row []Value) (reason string) {
	if !json.Valid(b) {
		return "not valid JSON"
	}
	clear(row)
	switch b[0] {
	case '{':
		members(b, func(key, value []byte) {
			if i, ok := j.find(key); ok {
				row[i] = jsonValue(value)
			}
		})
	case '"':
		if i, ok := j.place[textKey]; ok {
			row[i] = jsonValue(b)
		}
	default:
		return "not an object, must be one"
	}
	return ""
}

// find returns the place of a key that is still quoted, without allocating for
// one that holds no escape.
func (j *jsonl) find(key []byte) (int, bool) {
	if bytes.IndexByte(key, '\\') < 0 && utf8.Valid(key) {
		i, ok := j.place[string(key[1:len(key)-1])]
		return i, ok
	}
	i, ok := j.place[unquote(key)]
	return i, ok
}

// members calls f with each key, in quotes, and value of an object that is valid
// JSON.
func members(b []byte, f func(key, value []byte)) {
	i := space(b, 1)
	for b[i] != '}' {
		key := b[i:skip(b, i)]
		i = space(b, i+len(key)) + 1 // the colon
		i = space(b, i)
		value := b[i:skip(b, i)]
		f(key, value)
		if i = space(b, i+len(value)); b[i] == ',' {
			i = space(b, i+1)
		}
	}
}

// space returns where blanks end that begin at i.
func space(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n' {
		i++
	}
	return i
}

// skip returns where the value ends that begins at i.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		for i++; b[i] != '"'; i++ {
			if b[i] == '\\' {
				i++
			}
		}
		return i + 1
	case '{', '[':
		for depth := 0; ; {
			switch b[i] {
			case '"':
				i = skip(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			if i++; depth == 0 {
				return i
			}
		}
	}
	for i < len(b) && !strings.ContainsRune(",}] \t\r\n", rune(b[i])) {
		i++
	}
	return i
}

// jsonValue returns the value of valid JSON.
func jsonValue(b []byte) Value {
	switch b[0] {
	case '"':
		// Decoding mends bytes that are not UTF-8, which are to be counted.
		return Value{Text: unquote(b), Kind: String, Mended: !utf8.Valid(b)}
	case 't', 'f':
		return Value{Text: string(b), Kind: Bool}
	case 'n':
		return Value{}
	case '{', '[':
		return Value{Kind: Nested}
	}
	return Value{Text: string(b), Kind: Number}
}

// unquote returns what a valid JSON string stands for.
func unquote(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) {
		return string(b[1 : len(b)-1])
	}
	var s string
	if json.Unmarshal(b, &s) != nil {
		return "" // it was valid
	}
	return s
}
