//go:build !unix

package svec

import (
	"io"
	"os"
)

// mapFile reads a file into memory where files are not mapped.
func mapFile(f *os.File, size int) ([]byte, func([]byte), error) {
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil && err != io.EOF {
		return nil, nil, err
	}
	return data, func([]byte) {}, nil
}
