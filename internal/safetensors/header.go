package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// metadataKey is the one key of a header that names no tensor.
const metadataKey = "__metadata__"

// header is the parsed header of a file.
type header struct {
	entries  []entry
	metadata map[string]string
	names    map[string]bool
}

// parseHeader parses the JSON of a header token by token: package json would
// let the last of two equal keys win.
func parseHeader(text []byte) (*header, error) {
	h := &header{names: map[string]bool{}}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("damaged: header is not UTF-8; %s", copyAgain)
	}
	p := &parser{json.NewDecoder(bytes.NewReader(text))}
	p.UseNumber()
	err := p.object(h.value)
	if err == nil {
		if _, end := p.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text follows its closing brace")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("damaged: header: %w; %s", err, writeAgain)
	}
	return h, nil
}

// value takes the value of one key of the header.
func (h *header) value(p *parser, key string) error {
	switch {
	case key == "":
		return errors.New("a tensor has no name")
	case h.names[key]:
		return fmt.Errorf("the name %.60q occurs twice", key)
	}
	h.names[key] = true
	if key == metadataKey {
		return h.readMetadata(p)
	}
	e := entry{name: key, begin: -1}
	if err := p.object(e.value); err != nil {
		return fmt.Errorf("tensor %.60q: %w", key, err)
	}
	if e.dtype == "" || e.shape == nil || e.begin < 0 {
		return fmt.Errorf("tensor %.60q lacks one of dtype, shape and data_offsets", key)
	}
	h.entries = append(h.entries, e)
	return nil
}

// readMetadata takes an object of strings.
func (h *header) readMetadata(p *parser) error {
	h.metadata = map[string]string{}
	return p.object(func(p *parser, key string) error {
		if _, twice := h.metadata[key]; twice {
			return errors.New("a key of the metadata occurs twice")
		}
		s, err := p.text()
		h.metadata[key] = s
		return err
	})
}

// value takes the value of one key of a tensor.
func (e *entry) value(p *parser, key string) error {
	switch {
	case key == "dtype" && e.dtype == "":
		s, err := p.text()
		e.dtype = dtype(s)
		return err
	case key == "shape" && e.shape == nil:
		dims, err := p.numbers(maxRank)
		if err != nil {
			return fmt.Errorf("shape: %w", err)
		}
		e.shape = make([]int, len(dims))
		for i, d := range dims {
			if e.shape[i] = int(d); int64(e.shape[i]) != d {
				return fmt.Errorf("shape: %d is too large for this machine", d)
			}
		}
		return nil
	case key == "data_offsets" && e.begin < 0:
		at, err := p.numbers(2)
		if err != nil {
			return fmt.Errorf("data_offsets: %w", err)
		}
		if len(at) != 2 {
			return fmt.Errorf("data_offsets has %d numbers, must have 2", len(at))
		}
		e.begin, e.end = at[0], at[1]
		return nil
	}
	return fmt.Errorf("key %.60q is unknown or occurs twice", key)
}

// parser takes JSON apart.
type parser struct{ *json.Decoder }

// object calls value for each key of an object, to take what belongs to it.
func (p *parser) object(value func(p *parser, key string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	for p.More() {
		key, err := p.text()
		if err != nil {
			return err
		}
		if err := value(p, key); err != nil {
			return err
		}
	}
	return p.delim('}')
}

// numbers takes an array of at most limit whole numbers.
func (p *parser) numbers(limit int) ([]int64, error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	var all []int64
	for p.More() {
		t, err := p.token()
		if err != nil {
			return nil, err
		}
		number, _ := t.(json.Number)
		n, err := strconv.ParseUint(string(number), 10, 63)
		switch {
		case err != nil:
			return nil, errors.New("an element is not a whole number from 0 to 2⁶³−1")
		case len(all) == limit:
			return nil, fmt.Errorf("it has more than %d elements", limit)
		}
		all = append(all, int64(n))
	}
	return all, p.delim(']')
}

// text takes a string.
func (p *parser) text() (string, error) {
	t, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", errors.New("a string was expected")
	}
	return s, nil
}

// delim takes a brace or a bracket.
func (p *parser) delim(want json.Delim) error {
	t, err := p.token()
	if err == nil && t != want {
		err = fmt.Errorf("%q was expected", want.String())
	}
	return err
}

// token takes any token. What the decoder says of a fault quotes the text, so
// only its place is passed on.
func (p *parser) token() (json.Token, error) {
	t, err := p.Token()
	if err != nil {
		return nil, fmt.Errorf("no JSON at byte %d", p.InputOffset())
	}
	return t, nil
}
