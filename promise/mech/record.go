package mech

import (
	"encoding/json"
	"fmt"

	"sotto/promise/dp"
)

// Record is what is written beside a file of releases: how each row was
// released and what that promises.
type Record struct {
	Tool      string       `json:"tool"`
	Mechanism Params       `json:"mechanism"`
	Claimed   dp.Epsilon   `json:"claimed"`
	Guarantee dp.Guarantee `json:"guarantee"`
	Reason    string       `json:"reason"`
	Noise     string       `json:"noise"`
	Scope     string       `json:"scope"`
	Against   string       `json:"against,omitempty"` // whom the guarantee binds
	Binding
}

// Binding says which file a record belongs to. The record inside a Parquet file, which
// belongs to that by its place, has the rows alone.
type Binding struct {
	File   string `json:"file,omitempty"`   // its name, without folders; absent for a stream
	SHA256 string `json:"sha256,omitempty"` // of its bytes, in hexadecimal
	Rows   int64  `json:"rows,omitempty"`   // of vectors
}

// NewRecord describes what one row of releases of m promises.
func NewRecord(m Mechanism, tool string) Record {
	a := m.Profile()
	return Record{
		Tool: tool, Mechanism: m.Params(), Claimed: a.Claimed, Guarantee: m.Guarantee(), Reason: a.Reason,
		Noise:   "fresh for each row",
		Scope:   "each row is one release; for a person with k rows, or a row released k times, ε and δ are k times as large",
		Against: "whoever sees the released rows, whatever else they know; not whoever sees the inputs, the program's memory, or how long a row took",
	}
}

// JSON renders the record.
func (r Record) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("mech: the record cannot be written: %w", err)
	}
	return append(b, '\n'), nil
}
