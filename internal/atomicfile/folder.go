package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// SwapDir puts a folder in the place of another one, or of none. If the machine
// stops between taking the old one away and putting the new one there, both lie
// beside the place: the new one as it was called, the old one with ".old" behind.
func SwapDir(fresh, dir string) error {
	old := fresh + ".old"
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("atomicfile: %w", err)
	}
	if renamed := os.Rename(fresh, dir); renamed != nil {
		if err == nil {
			renamed = errors.Join(renamed, os.Rename(old, dir))
		}
		return fmt.Errorf("atomicfile: %w", renamed)
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	return nil
}
