package encode

import (
	"errors"
	"io"

	"sotto/text/encode/wordfile"
)

// Bounds on what is read, far above any published file.
const (
	maxNumbers = 1 << 30            // in all
	maxSize    = wordfile.MaxNumber // of a number
)

// readWordVectors is [ReadWordVectors] without the prefix of its errors.
func readWordVectors(name string, in io.Reader) (*WordVectors, error) {
	r, err := wordfile.NewReader(in, wordfile.Text)
	if err != nil {
		return nil, err
	}
	w := &WordVectors{name: name, index: map[string]int32{}}
	for {
		word, row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return w, nil
		}
		if err != nil {
			return nil, err
		}
		if _, twice := w.index[string(word)]; twice {
			w.duplicates++
			continue
		}
		if len(w.data) > maxNumbers-len(row) {
			return nil, r.Errorf("it brings more than %d numbers, must bring fewer", maxNumbers)
		}
		w.index[string(word)] = int32(len(w.index))
		w.data, w.dim = append(w.data, row...), len(row)
	}
}
