package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"sotto/promise/dp"
)

// Shard asks to pay for the releases of one part of a job, before any of them is
// made. It is paid for once, whoever asks how often: a job that died, or a worker
// that runs twice, gets the same answer again and pays nothing for it.
type Shard struct {
	Job  string // names the job: at most 200 bytes of UTF-8, without control characters
	Name string // names the part of it, likewise
	// Demands are the releases of each subject, each of which stands here once.
	Demands   []Demand
	Guarantee dp.Guarantee // of each release
	Mechanism any          // of each release: name and parameters, kept as JSON
	// Whole is the content of the shard of which this is a share, in a ledger of
	// several parts; zero if it is whole. A shard without demands costs nothing and says
	// what its job is: with another Whole its name is refused.
	Whole Digest
}

// Demand is what one subject pays for in a shard.
type Demand struct {
	Subject  string // as in a request
	Releases int64  // how many, at least one
	// Check says which releases these are: a digest, made with a secret, of the
	// names and the texts of the rows. A shard that is asked for again with
	// another is refused with an error: the same noise would be drawn for
	// other texts.
	Check Digest
}

// Reserved says which of a shard's releases are paid for.
type Reserved struct {
	Repeated bool  // it was paid for before, and cost nothing now
	Paid     int   // subjects whose releases may be made, all of them
	Releases int64 // of those subjects
	// LeftOut are the subjects, in the order of the demands, whose budget does
	// not allow all of their releases: none of them may be made.
	LeftOut []string
}

// Key is the key of everything that is paid for in a shard. Names of jobs and shards
// are no secret.
func (s *Shard) Key() Digest {
	h := sha256.New()
	h.Write([]byte("sotto ledger job\x00"))
	for _, part := range []string{s.Job, s.Name} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return Digest(h.Sum(nil))
}

// Content says what a shard asks for, in whatever order its demands stand.
func (s *Shard) Content() Digest {
	if s.Whole != (Digest{}) {
		return s.Whole
	}
	demands := slices.SortedFunc(slices.Values(s.Demands), func(a, b Demand) int { return strings.Compare(a.Subject, b.Subject) })
	h := sha256.New()
	h.Write([]byte("sotto ledger shard\x00"))
	for _, d := range demands {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(d.Subject))))
		h.Write([]byte(d.Subject))
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(d.Releases)))
		h.Write(d.Check[:])
	}
	return Digest(h.Sum(nil))
}

// Check is what the mark of a shard stands for: what it asks for, by what means.
func (s *Shard) Check(m *means) Digest {
	content := s.Content()
	seal := SealOf(&content, m)
	return sha256.Sum256(append(content[:], seal[:]...))
}

// many is the mechanism of a spend that pays for several releases at once, as a
// job does for each of its users. The spend's guarantee is that of all together.
type many struct {
	Releases int64           `json:"releases"`
	Each     json.RawMessage `json:"each"` // the mechanism of each
}

// Mark is the mechanism of the spend of nothing by which a shard of a job is found
// again.
type Mark struct {
	Job string `json:"job"`
}

// releases returns how many releases a spend by a mechanism pays for: 0 for the
// mark of a job.
func releases(mechanism []byte) int64 {
	// No mechanism of ours has a name that begins so.
	if bytes.HasPrefix(mechanism, []byte(`{"job":`)) {
		return 0
	}
	if !bytes.HasPrefix(mechanism, []byte(`{"releases":`)) {
		return 1
	}
	var m many
	if err := json.Unmarshal(mechanism, &m); err != nil || m.Releases < 1 {
		return 1
	}
	return m.Releases
}
