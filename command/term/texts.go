package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/pflag"

	"sotto/data/table"
	"sotto/data/textfile"
	"sotto/internal/regular"
	"sotto/text/encode"
)

// RawWarning stands beside vectors that no mechanism released.
const RawWarning = "these vectors are raw: the texts, and who wrote them, can in part be read from them; release them through a mechanism (sotto privatize) before they leave"

// TableFlags say how to read a file of rows, where that is not what its name and
// its first bytes tell.
type TableFlags struct {
	InFormat, Delimiter, Encoding string
	NoHeader                      bool
}

// AddFlags declares the flags.
func (o *TableFlags) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.InFormat, "in-format", "", "format of the file if its name does not tell: csv, tsv, jsonl, parquet, text, fasttext or folder")
	fs.StringVar(&o.Delimiter, "delimiter", "", "character between the fields of CSV, such as ; or tab (default: what fits the first rows)")
	fs.StringVar(&o.Encoding, "encoding", "", "encoding of the file: utf-8, utf-16, windows-1252 or latin-1 (default: what its bytes tell)")
	fs.BoolVar(&o.NoHeader, "no-header", false, "take the first line of CSV for a row; columns then have numbers from 1 for names")
}

// AddDeclaredFlags declares the flags for a file that is read under ε, of which nothing
// is found out by looking at its rows.
func (o *TableFlags) AddDeclaredFlags(fs *pflag.FlagSet) {
	o.AddFlags(fs)
	fs.Lookup("in-format").Usage = "format of the file: csv, tsv, jsonl, parquet, text, fasttext or folder (default: what its name ends in)"
	fs.Lookup("delimiter").Usage = "character between the fields of CSV, such as ; or tab (default: a comma)"
	fs.Lookup("encoding").Usage = "encoding of the file: utf-8, utf-16, windows-1252 or latin-1 (default: utf-8)"
}

// Given reports whether one of the flags says something.
func (o *TableFlags) Given() bool { return *o != TableFlags{} }

// Flags returns the flags that say something, as they are typed.
func (o *TableFlags) Flags() []string {
	var flags []string
	for _, f := range [][2]string{{"--in-format", o.InFormat}, {"--delimiter", o.Delimiter}, {"--encoding", o.Encoding}} {
		if f[1] != "" {
			flags = append(flags, f[0], f[1])
		}
	}
	if o.NoHeader {
		flags = append(flags, "--no-header")
	}
	return flags
}

// Options returns what package table makes of the flags.
func (o *TableFlags) Options() (table.Options, error) {
	return table.ParseOptions(o.InFormat, o.Delimiter, o.Encoding, o.NoHeader)
}

// TextFlags say how texts stand in a file.
type TextFlags struct {
	TableFlags
	Text string // the column
}

// AddFlags declares the flags. --column is another name of --text.
func (o *TextFlags) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Text, "text", "", "column or field that holds the texts (also --column)")
	o.TableFlags.AddFlags(fs)
	ColumnIsText(fs)
}

// AddDeclaredFlags is AddFlags for a file that is read under ε.
func (o *TextFlags) AddDeclaredFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Text, "text", "", "column or field that holds the texts (also --column)")
	o.TableFlags.AddDeclaredFlags(fs)
	ColumnIsText(fs)
}

// ColumnIsText makes --column another name of --text.
func ColumnIsText(fs *pflag.FlagSet) {
	fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "column" {
			name = "text"
		}
		return pflag.NormalizedName(name)
	})
}

// Open opens a file or folder of texts, or standard input for -, with columns
// beside them.
func (o *TextFlags) Open(path string, stdin io.Reader, skipBad bool, beside ...string) (*textfile.Reader, error) {
	read, err := o.Options()
	if err != nil {
		return nil, err
	}
	options := textfile.Options{
		Format: read.Format, Column: o.Text, Delimiter: read.Delimiter,
		Encoding: read.Encoding, NoHeader: read.NoHeader, SkipBad: skipBad, Beside: beside,
	}
	info, absent := os.Stat(path)
	_, unknown := textfile.ByName(path)
	plain := path == "-" || (unknown != nil && (absent != nil || !info.IsDir()))
	if options.Format == "" && plain && o.Text == "" {
		options.Format = textfile.Text
		if options.NoHeader || options.Delimiter != 0 {
			options.Format = textfile.CSV
		}
	}
	if path == "-" {
		options.Name = "stdin"
		return textfile.NewReader(stdin, options)
	}
	return textfile.Open(path, options)
}

// OpenDeclared is Open for texts under ε: in the form that the name and the flags say,
// so that no row changes how another is read.
func (o *TextFlags) OpenDeclared(path string, stdin io.Reader, skipBad bool, beside ...string) (*textfile.Reader, error) {
	read, err := o.Options()
	if err != nil {
		return nil, err
	}
	options := textfile.Options{
		Format: read.Format, Column: o.Text, Delimiter: read.Delimiter,
		Encoding: read.Encoding, NoHeader: read.NoHeader, SkipBad: skipBad, Beside: beside,
	}
	if path == "-" {
		return textfile.ReadDeclared(stdin, options)
	}
	return textfile.OpenDeclared(path, options)
}

// All reads a file of texts, or standard input for -, to its end.
func (o *TextFlags) All(path string, stdin io.Reader) ([]string, error) {
	return rest(o.Open(path, stdin, false))
}

// AllDeclared is All for texts under ε.
func (o *TextFlags) AllDeclared(path string, stdin io.Reader) ([]string, error) {
	return rest(o.OpenDeclared(path, stdin, false))
}

// rest reads to the end of what was opened.
func rest(r *textfile.Reader, err error) ([]string, error) {
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
	f, _, err := regular.Open(path, regular.Most)
	return readOpen(f, err, path, parse)
}

// readRegular is ReadFile for services, which wait for no pipe and read nothing
// without an end.
func readRegular[T any](path string, most int64, parse func(io.Reader) (T, error)) (T, error) {
	f, _, err := regular.Open(path, most)
	return readOpen(f, err, path, parse)
}

func readOpen[T any](f *os.File, err error, path string, parse func(io.Reader) (T, error)) (T, error) {
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
