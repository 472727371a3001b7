package shard

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sotto/learn/vectorise"
)

// idName stands for an id where ids are compared. Of 10⁹ ids two have one name with a
// probability below 10⁻¹¹.
type idName [12]byte

// Partitions is into how many parts ids and users are divided, so that none of them
// needs the memory of all.
const Partitions = 64

// Spend is what one user is to pay for: how many records, and a digest of which.
type Spend struct {
	Releases int64
	Check    [32]byte // the sum of the digests of the records, in whatever order
}

// add adds what another has.
func (s *Spend) add(releases int64, check *[32]byte) {
	s.Releases += releases
	for i := 0; i < len(check); i += 8 {
		sum := binary.BigEndian.Uint64(s.Check[i:]) + binary.BigEndian.Uint64(check[i:])
		binary.BigEndian.PutUint64(s.Check[i:], sum)
	}
}

// Scanned is what a chunk says of its rows before any is released. Neither holds an id
// or a text: what an engine keeps of it tells nothing of them.
type Scanned struct {
	Rows  int64
	IDs   [Partitions][]byte // names of ids, one behind the other; empty without ids
	Users [Partitions]map[string]Spend
}

// Scan reads the rows of a chunk. Names of ids are divided by their first byte, and
// users by a digest.
func (w *Worker) Scan(ctx context.Context, c Chunk) (*Scanned, error) {
	in, end, err := w.openTexts(ctx, c)
	if err != nil {
		return nil, err
	}
	defer end() //nolint:errcheck // it was only read
	s, draw := &Scanned{}, w.key.Drawer()
	for {
		t, err := in.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		} else if err != nil {
			return nil, err
		}
		r, err := w.fit(c, in.Line(), in.Beside())
		if w.spec.SkipBad && errors.As(err, new(vectorise.Unfit)) {
			continue // nobody pays for what is left out
		}
		if err != nil {
			return nil, fmt.Errorf("shard: %s, line %d: %w", c.name(), in.Line(), err)
		}
		s.Rows++
		if w.spec.ID != "" {
			name := draw.name(r.ID)
			s.IDs[name[0]%Partitions] = append(s.IDs[name[0]%Partitions], name[:]...)
		}
		if w.spec.User != "" {
			at := draw.name(r.User)[0] % Partitions
			if s.Users[at] == nil {
				s.Users[at] = map[string]Spend{}
			}
			check := draw.check(r, t)
			spend := s.Users[at][r.User]
			spend.add(1, &check)
			s.Users[at][strings.Clone(r.User)] = spend
		}
	}
}

// Duplicates are ids that stand more than once.
type Duplicates struct {
	IDs      int64    `json:"ids"`      // how many do
	Examples []string `json:"examples"` // names of some, in hexadecimal, in order
}

// maxExamples bounds the examples of [Duplicates].
const maxExamples = 5

// FindDuplicates counts the ids of one partition that stand more than once. It takes
// what [Scanned.IDs] of all chunks hold of it.
func FindDuplicates(packed [][]byte) (d Duplicates) {
	size := 0
	for _, p := range packed {
		size += len(p)
	}
	names := make([]idName, 0, size/len(idName{}))
	for _, p := range packed {
		for ; len(p) >= len(idName{}); p = p[len(idName{}):] {
			names = append(names, idName(p))
		}
	}
	slices.SortFunc(names, func(a, b idName) int { return bytes.Compare(a[:], b[:]) })
	for i := 1; i < len(names); i++ {
		if names[i] != names[i-1] || i > 1 && names[i] == names[i-2] {
			continue
		}
		d.add(Duplicates{IDs: 1, Examples: []string{hex.EncodeToString(names[i][:])}})
	}
	return d
}

// add joins what was found in several partitions.
func (d *Duplicates) add(other Duplicates) {
	d.IDs += other.IDs
	d.Examples = append(d.Examples, other.Examples...)
	slices.Sort(d.Examples)
	d.Examples = d.Examples[:min(len(d.Examples), maxExamples)]
}

// ErrDuplicates is wrapped by the error for ids that are not unique.
var ErrDuplicates = errors.New("ids are not unique")

// Refuse returns an error if any id of the partitions stands twice, and says how to find
// them: the examples are what [Worker.Name] gives.
func Refuse(found ...Duplicates) error {
	var all Duplicates
	for _, d := range found {
		all.add(d)
	}
	if all.IDs == 0 {
		return nil
	}
	return fmt.Errorf("shard: %w: %d ids stand more than once, must stand once; their names begin with %s (--name-of ID prints the name of an id)", ErrDuplicates, all.IDs, strings.Join(all.Examples, ", "))
}

// Name returns what stands for an id in errors.
func (w *Worker) Name(id string) string {
	name := w.key.Drawer().name(id)
	return hex.EncodeToString(name[:])
}

// PackSpends writes the spends of one partition for the way between workers.
func PackSpends(spends map[string]Spend) []byte {
	var b []byte
	for _, user := range slices.Sorted(maps.Keys(spends)) {
		s := spends[user]
		b = binary.AppendUvarint(b, uint64(len(user)))
		b = append(b, user...)
		b = binary.AppendUvarint(b, uint64(s.Releases))
		b = append(b, s.Check[:]...)
	}
	return b
}

// UnpackSpends adds packed spends to others.
func UnpackSpends(to map[string]Spend, packed []byte) error {
	damaged := errors.New("shard: packed spends are damaged")
	for len(packed) > 0 {
		n, k := binary.Uvarint(packed)
		if k <= 0 || uint64(len(packed)-k) < n {
			return damaged
		}
		user := string(packed[k : k+int(n)])
		packed = packed[k+int(n):]
		releases, k := binary.Uvarint(packed)
		if k <= 0 || len(packed)-k < 32 || releases > 1<<62 {
			return damaged
		}
		check := [32]byte(packed[k:])
		packed = packed[k+32:]
		s := to[user]
		s.add(int64(releases), &check)
		to[user] = s
	}
	return nil
}
