package vecfile

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Format is a file format. Its value is its name.
type Format string

// The formats in use.
const (
	JSONL   Format = "jsonl"   // JSON lines
	CSV     Format = "csv"     // comma separated numbers
	NPY     Format = "npy"     // an array as NumPy saves it
	Parquet Format = "parquet" // Apache Parquet
)

// maxWidth bounds the memory that one row can claim.
const maxWidth = 1 << 20

// ByName returns the format that the extension of path stands for.
func ByName(path string) (Format, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".jsonl", ".ndjson":
		return JSONL, nil
	case ".csv", ".npy", ".parquet":
		return Format(ext[1:]), nil
	}
	return "", fmt.Errorf("vecfile: extension of %s is %q, must be .jsonl, .ndjson, .csv, .npy or .parquet", path, filepath.Ext(path))
}

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	f := Format(strings.ToLower(name))
	if !f.valid() {
		return "", fmt.Errorf("vecfile: format is %q, must be jsonl, csv, npy or parquet", name)
	}
	return f, nil
}

func (f Format) valid() bool {
	return f == JSONL || f == CSV || f == NPY || f == Parquet
}
