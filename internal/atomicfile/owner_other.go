//go:build !unix

package atomicfile

// KeepOwner does nothing: who may use a file stands in its folder's access list.
func (f *File) KeepOwner() error { return nil }
