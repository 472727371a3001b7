package atomicfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"sotto/internal/regular"
)

// WriteJSON writes a value as indented JSON, whole or not at all.
func WriteJSON(path string, v any) error { return writeJSON(path, false, v) }

// WriteSharedJSON is WriteJSON of a file that others may read.
func WriteSharedJSON(path string, v any) error { return writeJSON(path, true, v) }

func writeJSON(path string, shared bool, v any) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("atomicfile: %s: %w", path, err)
	}
	return writeAs(path, shared, func(w io.Writer) error {
		if _, err := w.Write(append(content, '\n')); err != nil {
			return fmt.Errorf("atomicfile: %w", err)
		}
		return nil
	})
}

// maxJSON bounds what is read at once, in bytes.
const maxJSON = 1 << 30

// ReadJSON reads a file that holds one JSON value, as [ParseJSON] does. The error
// for a file that is not there wraps io/fs.ErrNotExist.
func ReadJSON(path string, v any) error {
	content, err := regular.Read(path, maxJSON)
	if err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	return ParseJSON(content, v)
}

// ParseJSON reads one JSON value. It refuses fields that v does not have, and
// anything behind the value.
func ParseJSON(content []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the value")
	}
	return nil
}

// ErrObject is the error of what is not one JSON object.
var ErrObject = errors.New("this is not one JSON object, must be")

// ParseObject hands the fields of one JSON object to add, in order and also those
// that stand there twice, until it returns an error.
func ParseObject(content []byte, add func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(content))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return ErrObject
	}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return ErrObject
		}
		if err := add(name, value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return ErrObject
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return ErrObject
	}
	return nil
}
