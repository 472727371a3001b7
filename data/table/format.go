package table

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"sotto/internal/layout"
)

// Format is a file format. Its value is its name.
type Format string

// The formats in use.
const (
	// CSV is fields between delimiters as RFC 4180 has them, with a line of names
	// first. A field may hold line breaks, between quotes. Blank lines are skipped;
	// an empty text in a file of one column is written as "".
	CSV Format = "csv"
	// TSV is CSV whose delimiter is a tab. Where no field of the first rows is
	// quoted, a quote is a character like any other.
	TSV Format = "tsv"
	// JSONL is a JSON object a line, or a JSON string, which is the column text.
	// The columns are the keys of the first 1,000 objects. Blank lines are skipped.
	// Of a key that occurs twice the last counts.
	JSONL Format = "jsonl"
	// Parquet is Apache Parquet, in a file that can be read anywhere. One page of
	// each column is in memory at a time.
	Parquet Format = "parquet"
	// Text is a text a line, in the column text; an empty line is an empty text.
	Text Format = "text"
	// FastText is a text a line after its label as fastText has it: __label__x. Of
	// several labels, the column label holds all, with commas between them.
	FastText Format = "fasttext"
	// Folder is a text a file, in the columns text and file. Where files lie in
	// folders, their names are the column label, and a folder around these whose
	// name is that of a part, such as train or test, is the column split.
	Folder Format = "folder"
)

// formats are all, in the order of errors.
var formats = []string{string(CSV), string(TSV), string(JSONL), string(Parquet), string(Text), string(FastText), string(Folder)}

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	for _, f := range formats {
		if f == strings.ToLower(name) {
			return Format(f), nil
		}
	}
	return "", fmt.Errorf("table: format is %.40q, must be one of %s%s", name, strings.Join(formats, ", "), layout.Hint(name, formats))
}

// ByName returns the format that the extension of path stands for, or "" if it
// says nothing. Plain text may have labels in it, so .txt says nothing.
func ByName(path string) Format {
	path = strings.ToLower(path)
	path = strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
	switch ext := filepath.Ext(path); ext {
	case ".tsv", ".tab":
		return TSV
	case ".jsonl", ".ndjson":
		return JSONL
	case ".csv", ".parquet":
		return Format(ext[1:])
	}
	return ""
}

func (f Format) delimited() bool { return f == CSV || f == TSV }

// findFormat looks at how the content begins.
func (r *Reader) findFormat() error {
	begin, named := bytes.TrimLeft(r.in.sample, " \t\r\n"), r.opt.Format != ""
	switch o := &r.opt; {
	case r.in.parquet && o.Format != Parquet:
		if o.Format != "" {
			r.notes = append(r.notes, fmt.Sprintf("it is Parquet, whatever its name says, so it is not read as %s", o.Format))
		}
		o.Format = Parquet
	case o.Format != "":
	case len(r.in.sample) == 0:
		return r.errorf("%w", ErrEmpty)
	case bytes.HasPrefix(begin, []byte("{")):
		o.Format = JSONL
	case o.Delimiter != 0 || o.NoHeader:
		o.Format = CSV
	default:
		r.findText()
	}
	if bytes.HasPrefix(begin, []byte("[")) && (r.opt.Format == JSONL || !named) && jsonArray(begin) {
		return r.errorf("it is a JSON array, must be JSON lines, an object a line (jq -c '.[]' makes them)")
	}
	return nil
}
