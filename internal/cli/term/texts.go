package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/pflag"

	"sotto/encode"
	"sotto/encode/textfile"
)

// RawWarning stands beside vectors that no mechanism released.
const RawWarning = "these vectors are raw: the texts, and who wrote them, can in part be read from them; release them through a mechanism (sotto privatize) before they leave"

// TextFlags say how texts stand in a file.
type TextFlags struct {
	InFormat, Column string
	NoHeader         bool
}

// AddFlags declares the flags.
func (o *TextFlags) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.InFormat, "in-format", "", "format of the texts if the file's name does not tell: text, csv, jsonl or parquet (default text)")
	fs.StringVar(&o.Column, "column", "", "column or field that holds the texts")
	fs.BoolVar(&o.NoHeader, "no-header", false, "take the first line of CSV for a row, and --column for a number from 1")
}

// Open opens a file of texts, or standard input for -.
func (o *TextFlags) Open(path string, stdin io.Reader, skipBad bool) (*textfile.Reader, error) {
	options := textfile.Options{Column: o.Column, NoHeader: o.NoHeader, SkipBad: skipBad}
	if o.InFormat != "" {
		f, err := textfile.ParseFormat(o.InFormat)
		if err != nil {
			return nil, err
		}
		options.Format = f
	} else if _, err := textfile.ByName(path); err != nil || path == "-" {
		options.Format = textfile.Text
	}
	if path == "-" {
		options.Name = "stdin"
		return textfile.NewReader(stdin, options)
	}
	return textfile.Open(path, options)
}

// All reads a file of texts, or standard input for -, to its end.
func (o *TextFlags) All(path string, stdin io.Reader) ([]string, error) {
	r, err := o.Open(path, stdin, false)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	var texts []string
	for {
		t, err := r.Next()
		if errors.Is(err, io.EOF) {
			return texts, nil
		} else if err != nil {
			return nil, err
		}
		texts = append(texts, t)
	}
}

// CloserOf returns what ends an encoder that is a program: a function that does
// it once, and says again how that went.
func CloserOf(e encode.Source) func() error {
	if c, ok := e.(io.Closer); ok {
		return sync.OnceValue(c.Close)
	}
	return func() error { return nil }
}

// ReadFile opens a file and gives it to a parser.
func ReadFile[T any](path string, parse func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	v, err := parse(f)
	if err != nil {
		return v, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}
