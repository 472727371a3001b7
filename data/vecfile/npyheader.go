package vecfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	npyMagic     = "\x93NUMPY"
	maxNPYHeader = 64 << 10
)

// npyHeader is the dictionary at the head of an NPY file.
type npyHeader struct {
	descr   string  // the type of a number
	fortran bool    // stored by columns
	shape   []int64 // as many numbers as dimensions
}

// readNPYHeader reads a header of version 1.0, 2.0 or 3.0 and returns how many
// bytes it took.
func readNPYHeader(in io.Reader) (h npyHeader, size int64, err error) {
	var fixed [12]byte // magic, version, length of the dictionary
	if err = readHead(in, fixed[:8]); err != nil {
		return h, 0, err
	}
	if string(fixed[:6]) != npyMagic {
		return h, 0, errors.New("not an NPY file")
	}
	major, minor := fixed[6], fixed[7]
	width := 4
	if major == 1 {
		width = 2
	}
	if major < 1 || major > 3 || minor != 0 {
		return h, 0, fmt.Errorf("version is %d.%d, must be 1.0, 2.0 or 3.0", major, minor)
	}
	if err = readHead(in, fixed[8:8+width]); err != nil {
		return h, 0, err
	}
	n := binary.LittleEndian.Uint32(fixed[8:]) // zeros above two bytes
	if n > maxNPYHeader {
		return h, 0, fmt.Errorf("header has %d bytes, must have at most %d", n, maxNPYHeader)
	}
	text := make([]byte, n)
	if err = readHead(in, text); err != nil {
		return h, 0, err
	}
	h, err = parseNPYHeader(string(text))
	return h, int64(8+width) + int64(n), err
}

func readHead(in io.Reader, b []byte) error {
	_, err := io.ReadFull(in, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("ends within its header")
	}
	return err
}

// parseNPYHeader reads the Python literal that NumPy writes, a dictionary of
// three keys in any order, and no other Python.
func parseNPYHeader(text string) (npyHeader, error) {
	p := literal{rest: text}
	var h npyHeader
	seen := make(map[string]bool, 3)
	p.want("{")
	for !p.bad && !p.have("}") {
		key := p.text()
		p.bad = p.bad || seen[key]
		seen[key] = true
		p.want(":")
		switch key {
		case "descr":
			if strings.HasPrefix(p.space(), "[") {
				return h, errors.New("has fields, must be an array of plain numbers")
			}
			h.descr = p.text()
		case "fortran_order":
			if h.fortran = p.have("True"); !h.fortran {
				p.want("False")
			}
		case "shape":
			h.shape = p.tuple()
		default:
			p.bad = true
		}
		if !p.have(",") {
			p.want("}")
			break
		}
	}
	if p.bad || len(seen) != 3 || p.space() != "" {
		return h, errors.New("header is not the dictionary of an NPY file")
	}
	return h, nil
}

// literal reads Python literals. Once something is not as wanted, bad is set
// and nothing more is read.
type literal struct {
	rest string
	bad  bool
}

func (p *literal) space() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	return p.rest
}

// have moves past s if it comes next.
func (p *literal) have(s string) bool {
	rest, ok := strings.CutPrefix(p.space(), s)
	if ok = ok && !p.bad; ok {
		p.rest = rest
	}
	return ok
}

func (p *literal) want(s string) {
	if !p.have(s) {
		p.bad = true
	}
}

// text reads a string without escapes.
func (p *literal) text() string {
	for _, quote := range []string{"'", `"`} {
		if p.have(quote) {
			s, rest, ok := strings.Cut(p.rest, quote)
			p.rest, p.bad = rest, !ok || strings.ContainsAny(s, "\\\n")
			return s
		}
	}
	p.bad = true
	return ""
}

// tuple reads a tuple of at most eight numbers.
func (p *literal) tuple() []int64 {
	var t []int64
	p.want("(")
	for !p.bad && !p.have(")") {
		n := len(p.space())
		digits := p.rest[:n-len(strings.TrimLeft(p.rest, "0123456789"))]
		v, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || len(t) == 8 {
			p.bad = true
			return nil
		}
		t = append(t, v)
		p.rest = p.rest[len(digits):]
		if !p.have(",") {
			p.want(")")
			p.bad = p.bad || len(t) == 1 // a number in parentheses is no tuple
			break
		}
	}
	return t
}
