package kserve

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// numbers reads arrays of numbers of a given shape. The text is JSON that was
// parsed before, so that only what is allowed, and not how it is written, must
// be looked at.
type numbers struct {
	text  []byte
	at    int
	shape []int
	out   []float32
}

var errNumber = errors.New("kserve: data of a tensor must be numbers that a finite 32-bit float can hold, flat or nested as its shape says")

// nested reports whether the array at the start holds arrays.
func (p *numbers) nested() bool {
	q := *p
	q.at++
	return q.next() == '['
}

// array reads one array of the given depth.
func (p *numbers) array(depth int) error {
	if p.next() != '[' || depth == len(p.shape) {
		return errNumber
	}
	p.at++
	count := 0
	for ; p.next() != ']'; count++ {
		if count > 0 {
			p.at++ // the comma
		}
		if count == p.shape[depth] {
			return fmt.Errorf("kserve: data of a tensor has more than the %d elements that dimension %d of its shape allows", count, depth)
		}
		var err error
		if depth == len(p.shape)-1 {
			err = p.number()
		} else {
			err = p.array(depth + 1)
		}
		if err != nil {
			return err
		}
	}
	p.at++
	if count != p.shape[depth] {
		return fmt.Errorf("kserve: data of a tensor has %d elements where dimension %d of its shape asks for %d", count, depth, p.shape[depth])
	}
	return nil
}

func (p *numbers) number() error {
	p.next()
	start := p.at
	for p.at < len(p.text) && isNumber(p.text[p.at]) {
		p.at++
	}
	v, err := strconv.ParseFloat(string(p.text[start:p.at]), 32)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return errNumber
	}
	p.out = append(p.out, float32(v))
	return nil
}

func isNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// next skips white space and returns what is there, 0 at the end.
func (p *numbers) next() byte {
	for ; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
		default:
			return p.text[p.at]
		}
	}
	return 0
}
