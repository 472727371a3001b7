package atomicfile

import (
	"encoding/json"
	"fmt"
)

// WriteJSON writes a value as indented JSON, whole or not at all.
func WriteJSON(path string, v any) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("atomicfile: %s: %w", path, err)
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(append(content, '\n')); err != nil {
		return fmt.Errorf("atomicfile: %w", err)
	}
	return f.Commit()
}
