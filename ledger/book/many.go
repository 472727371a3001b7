package book

import (
	"bytes"
	"encoding/json"
)

// Many is the mechanism of a spend that pays for several releases at once, as a
// job does for each of its users. The spend's guarantee is that of all together.
type Many struct {
	Releases int64           `json:"releases"`
	Each     json.RawMessage `json:"each"` // the mechanism of each
}

// Mark is the mechanism of the spend of nothing by which a shard of a job is found
// again.
type Mark struct {
	Job string `json:"job"`
}

// Releases returns how many releases a spend by a mechanism pays for: 0 for the
// mark of a job.
func Releases(mechanism []byte) int64 {
	// No mechanism of ours has a name that begins so.
	if bytes.HasPrefix(mechanism, []byte(`{"job":`)) {
		return 0
	}
	if !bytes.HasPrefix(mechanism, []byte(`{"releases":`)) {
		return 1
	}
	var m Many
	if err := json.Unmarshal(mechanism, &m); err != nil || m.Releases < 1 {
		return 1
	}
	return m.Releases
}
