//go:build !linux

package disk

import "os"

// sync waits until the content is on disk.
func sync(f *os.File) error { return f.Sync() }
