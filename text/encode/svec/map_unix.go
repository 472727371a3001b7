//go:build unix

package svec

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile maps a file into memory, to be read only, and returns how to undo it.
func mapFile(f *os.File, size int) ([]byte, func([]byte), error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("it cannot be mapped into memory: %w", err)
	}
	return data, func(data []byte) {
		syscall.Munmap(data) //nolint:errcheck // nobody can use it any more
	}, nil
}
