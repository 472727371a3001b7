//go:build !unix

package atomicfile

// KeepOwner does nothing: who may use a file stands in its folder's access list.
func (f *File) KeepOwner() error { return nil }

// Leave does nothing, as KeepOwner.
func (f *File) Leave() error { return nil }

// SameOwner does nothing, as KeepOwner.
func SameOwner(_, _ string) error { return nil }
