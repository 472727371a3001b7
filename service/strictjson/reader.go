package strictjson

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Errors that callers branch on.
var (
	ErrSyntax = errors.New("no JSON")
	// ErrEnd is returned for what is no JSON since it ends too early: more could
	// make it some.
	ErrEnd   = errors.New("it ends too early")
	ErrUTF8  = errors.New("no UTF-8")
	ErrDepth = errors.New("nested too deep")
	ErrKind  = errors.New("wrong kind of value")
)

// Reader reads a message from its beginning. A copy goes on from where it was
// copied. After an error it must not be used.
type Reader struct {
	Data  []byte
	Depth int // how many objects and arrays may lie within each other

	at   int
	deep int
}

// Kind is what a value is, by the byte with which it begins.
type Kind byte

// Kinds of values.
const (
	KindObject Kind = '{'
	KindArray  Kind = '['
	KindString Kind = '"'
	KindNumber Kind = '0'
	KindTrue   Kind = 't'
	KindFalse  Kind = 'f'
	KindNull   Kind = 'n'
	KindNone   Kind = 0 // no value is there
)

// Kind says what comes next.
func (r *Reader) Kind() Kind {
	switch c := r.next(); c {
	case '{', '[', '"', 't', 'f', 'n':
		return Kind(c)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return KindNumber
	}
	return KindNone
}

// Object reads an object. At each field it calls f, which must read the value;
// name is valid until then.
func (r *Reader) Object(f func(name []byte) error) error {
	if err := r.open('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		if done, err := r.more('}', first); done || err != nil {
			return err
		}
		if r.next() != '"' {
			return r.fail(ErrSyntax)
		}
		name, err := r.text()
		if err != nil {
			return err
		}
		if r.next() != ':' {
			return r.fail(ErrSyntax)
		}
		r.at++
		if err := f(name); err != nil {
			return err
		}
	}
}

// Array reads an array. At each element it calls f, which must read it.
func (r *Reader) Array(f func(i int) error) error {
	if err := r.open('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if done, err := r.more(']', i == 0); done || err != nil {
			return err
		}
		if err := f(i); err != nil {
			return err
		}
	}
}

// String reads a string.
func (r *Reader) String() (string, error) {
	if r.Kind() != KindString {
		return "", r.wrong()
	}
	text, err := r.text()
	return string(text), err
}

// Int reads a whole number that is written as one.
func (r *Reader) Int() (int, error) {
	raw, err := r.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0, r.fail(ErrKind)
	}
	return n, nil
}

// Number reads a number and returns it as it is written. It is part of Data.
func (r *Reader) Number() ([]byte, error) {
	if r.Kind() != KindNumber {
		return nil, r.wrong()
	}
	start := r.at
	if r.peek() == '-' {
		r.at++
	}
	whole := r.at
	if r.digits() == 0 || r.Data[whole] == '0' && r.at > whole+1 {
		return nil, r.fail(ErrSyntax)
	}
	if r.peek() == '.' {
		r.at++
		if r.digits() == 0 {
			return nil, r.fail(ErrSyntax)
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.at++
		if c := r.peek(); c == '+' || c == '-' {
			r.at++
		}
		if r.digits() == 0 {
			return nil, r.fail(ErrSyntax)
		}
	}
	return r.Data[start:r.at], nil
}

// Null reads a null if it comes next, and reports whether it did. If not, it has
// read nothing.
func (r *Reader) Null() bool {
	if r.next() != 'n' {
		return false
	}
	at := r.at
	if r.word("null") != nil {
		r.at = at
		return false
	}
	return true
}

// Raw reads any value and returns it as it is written. It is part of Data.
func (r *Reader) Raw() ([]byte, error) {
	var err error
	r.next()
	start := r.at
	switch r.Kind() {
	case KindObject:
		err = r.Object(func([]byte) error { return r.pass() })
	case KindArray:
		err = r.Array(func(int) error { return r.pass() })
	case KindString:
		_, err = r.quoted()
	case KindNumber:
		_, err = r.Number()
	case KindTrue:
		err = r.word("true")
	case KindFalse:
		err = r.word("false")
	case KindNull:
		err = r.word("null")
	default:
		err = r.fail(ErrSyntax)
	}
	if err != nil {
		return nil, err
	}
	return r.Data[start:r.at], nil
}

// pass reads any value.
func (r *Reader) pass() error {
	_, err := r.Raw()
	return err
}

// End refuses what follows the message.
func (r *Reader) End() error {
	if r.next(); r.at < len(r.Data) {
		return r.fail(ErrSyntax)
	}
	return nil
}

// fail says where something is wrong.
func (r *Reader) fail(err error) error {
	if r.at >= len(r.Data) && errors.Is(err, ErrSyntax) {
		return ErrEnd
	}
	return fmt.Errorf("%w at byte %d", err, min(r.at, len(r.Data)))
}

// wrong is the error of a value of another kind, or of none.
func (r *Reader) wrong() error {
	switch kind := r.Kind(); kind { //nolint:exhaustive // the others are whole by their first byte, or of another kind
	case KindNone:
		return r.fail(ErrSyntax)
	case KindTrue, KindFalse, KindNull:
		// It may be none of these words, or not be there to its end.
		c := *r
		if _, err := c.Raw(); err != nil {
			return err
		}
	}
	return r.fail(ErrKind)
}

// peek returns the byte that is there, 0 at the end.
func (r *Reader) peek() byte {
	if r.at < len(r.Data) {
		return r.Data[r.at]
	}
	return 0
}

// next skips white space and returns what is there, 0 at the end.
func (r *Reader) next() byte {
	for ; r.at < len(r.Data); r.at++ {
		switch c := r.Data[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// open enters an object or an array.
func (r *Reader) open(bracket byte) error {
	if r.next() != bracket {
		return r.wrong()
	}
	if r.deep++; r.deep > r.Depth {
		return r.fail(ErrDepth)
	}
	r.at++
	return nil
}

// more goes to the next element, or leaves if there is none.
func (r *Reader) more(bracket byte, first bool) (done bool, err error) {
	switch c := r.next(); {
	case c == bracket:
		r.at++
		r.deep--
		return true, nil
	case first:
		return false, nil
	case c != ',':
		return false, r.fail(ErrSyntax)
	}
	r.at++
	if c := r.next(); c == bracket { // a comma before the end
		return false, r.fail(ErrSyntax)
	}
	return false, nil
}

func (r *Reader) word(word string) error {
	for i := range len(word) {
		if r.peek() != word[i] {
			return r.fail(ErrSyntax)
		}
		r.at++
	}
	return nil
}

// digits skips digits and returns how many there were.
func (r *Reader) digits() int {
	start := r.at
	for r.at < len(r.Data) && r.Data[r.at]-'0' <= 9 {
		r.at++
	}
	return r.at - start
}

// text reads a string. What it returns is part of Data where nothing in it is
// escaped.
func (r *Reader) text() ([]byte, error) {
	start := r.at + 1
	escaped, err := r.quoted()
	if err != nil {
		return nil, err
	}
	raw := r.Data[start : r.at-1]
	if !escaped {
		return raw, nil
	}
	return unescape(raw), nil
}

// plain reports whether eight bytes of a string stand for themselves: none is a
// quotation mark, a backslash, a control character or part of a longer character.
// Of each kind the top bit of some byte is set in one of the terms if there is any.
func plain(x uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := x^ones*'"', x^ones*'\\'
	return ((x-ones*' ')&^x|(quote-ones)&^quote|(slash-ones)&^slash|x)&tops == 0
}

// quoted skips a string, which must be well formed.
func (r *Reader) quoted() (escaped bool, err error) {
	for r.at++; ; {
		for len(r.Data)-r.at >= 8 && plain(binary.LittleEndian.Uint64(r.Data[r.at:])) { // most of most strings
			r.at += 8
		}
		switch c := r.peek(); {
		case c == '"':
			r.at++
			return escaped, nil
		case c == '\\':
			escaped = true
			if err := r.escape(); err != nil {
				return escaped, err
			}
		case c < ' ': // also the end
			return escaped, r.fail(ErrSyntax)
		case c < utf8.RuneSelf:
			r.at++
		default:
			_, size := utf8.DecodeRune(r.Data[r.at:])
			switch {
			case size > 1: // nothing that is not ASCII has one byte
				r.at += size
			case !utf8.FullRune(r.Data[r.at:]):
				return escaped, ErrEnd
			default:
				return escaped, r.fail(ErrUTF8)
			}
		}
	}
}

// escape skips what stands behind a backslash.
func (r *Reader) escape() error {
	r.at++
	switch r.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.at++
		return nil
	case 'u':
		for range 4 {
			if r.at++; !hexadecimal(r.peek()) {
				return r.fail(ErrSyntax)
			}
		}
		r.at++
		return nil
	}
	return r.fail(ErrSyntax)
}

func hexadecimal(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// unit reads \uXXXX; 0 if that is not there.
func unit(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(s[2:6]), 16, 32) // the digits were looked at
	return rune(n)
}

// unescape returns what a well-formed string means. Half of a surrogate pair is
// U+FFFD, as it is to encoding/json.
func unescape(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		switch c = raw[i+1]; c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			n := unit(raw[i:])
			i += 6
			if utf16.IsSurrogate(n) {
				if n = utf16.DecodeRune(n, unit(raw[i:])); n != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, n)
			continue
		}
		out = append(out, c)
		i += 2
	}
	return out
}
