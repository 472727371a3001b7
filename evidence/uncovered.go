package evidence

import (
	"encoding/json"
	"fmt"
)

// Uncovered is how many of the rows of a release no guarantee covers, since the model
// that released them was trained on them, or on others of the same persons.
type Uncovered struct {
	Rows *int64 // nil, and null in JSON, where nobody knows
}

// MarshalJSON implements [json.Marshaler].
func (u Uncovered) MarshalJSON() ([]byte, error) { return json.Marshal(u.Rows) }

// UnmarshalJSON implements [json.Unmarshaler].
func (u *Uncovered) UnmarshalJSON(b []byte) error {
	var rows int64
	if err := json.Unmarshal(b, &rows); err != nil {
		return err
	}
	if rows < 0 {
		return fmt.Errorf("evidence: %d rows are not covered, must be at least 0", rows)
	}
	u.Rows = &rows
	return nil
}
