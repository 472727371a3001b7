package bias

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// CheckWritable refuses a table with words that a text file of vectors cannot
// hold, before work is spent on it.
func (t *Table) CheckWritable() error {
	for i, word := range t.words {
		if word == "" || strings.ContainsAny(word, " \r\n") {
			return fmt.Errorf("bias: word %d is empty or has a space, which a text file of vectors cannot hold; leave it out or put an underscore for the space", i+1)
		}
	}
	return nil
}

// Write writes the table as text, a word and its numbers a line, to the precision
// of float32, and compressed by gzip if so wished.
func (t *Table) Write(w io.Writer, compress bool) error {
	finish := func() error { return nil }
	if compress {
		z := gzip.NewWriter(w)
		w, finish = z, z.Close
	}
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i, word := range t.words {
		line = append(line[:0], word...)
		for _, v := range t.Row(i) {
			line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 32)
		}
		b.Write(append(line, '\n')) //nolint:errcheck // Flush returns it
	}
	return errors.Join(b.Flush(), finish())
}
