package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"sotto/internal/regular"
)

// LinkModel is a model of which rows are of one person, as the JSON that "sotto link
// records" saves. As a flag it is read from a file, whose place is kept nowhere; a
// stored model has its content, which is weights and names of columns, so that the
// same rows are linked again.
type LinkModel string

// maxLinkModel is how many bytes such a model may have.
const maxLinkModel = 4 << 20

// String says that there is a model, and not where it lies.
func (m LinkModel) String() string {
	if m == "" {
		return ""
	}
	return "FILE"
}

// Set reads the model from a file.
func (m *LinkModel) Set(path string) error {
	content, err := regular.Read(path, maxLinkModel)
	if err != nil {
		return err
	}
	if err := m.UnmarshalJSON(content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Type says what a flag takes.
func (LinkModel) Type() string { return "file" }

// MarshalJSON returns the model as it is.
func (m LinkModel) MarshalJSON() ([]byte, error) {
	if m == "" {
		return []byte("null"), nil
	}
	return []byte(m), nil
}

// UnmarshalJSON takes a model.
func (m *LinkModel) UnmarshalJSON(content []byte) error {
	var b bytes.Buffer
	if content = bytes.TrimSpace(content); len(content) == 0 || content[0] != '{' || json.Compact(&b, content) != nil {
		return errors.New("dataset: not the JSON object of a model, must be what sotto link records --save-model makes")
	}
	*m = LinkModel(b.String())
	return nil
}
