//go:build !linux

package logfile

import "os"

// sync waits until the content is on disk.
func sync(f *os.File) error { return f.Sync() }
