package svec

// Stamp makes the digest of a header right again after it was changed.
func Stamp(file []byte) {
	if len(file) >= headerSize {
		stamp(file[:headerSize])
	}
}

// InMemory opens a file that is given as bytes, as Open does with those that it
// maps.
func InMemory(b []byte) (*File, error) {
	h, err := decodeHeader(b, int64(len(b)))
	if err != nil {
		return nil, err
	}
	return newFile(h, b), nil
}
