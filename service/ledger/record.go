package ledger

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// This part of the package writes entries of a ledger in few bytes and reads them back: a
// spend in about eighty, where its line of JSON has a thousand.
//
// What spends have in common is written once and referred to by its number: who
// pays, and by what means. What an entry says stays what its line of JSON says,
// and the hash that chains entries is that of the line ([Record.AppendLine]), so
// that whoever has exported lines needs nothing of this package to check them.
//
// It keeps no file and no chain; packages ledger and logfile do.

// ErrRecordDamaged is returned for bytes that are no record.
var ErrRecordDamaged = errors.New("record: damaged")

// means is what the spends by one mechanism have in common. It is not changed
// once it was made, by [NewMeans].
type means struct {
	Mechanism []byte // JSON
	Guarantee []byte // JSON
	Epsilon   int64  // in units of 10⁻⁹
	Delta     int64  // in units of 10⁻¹⁵

	content string // all of it, by which it is recognised
}

// Record is an entry without its place in the chain: a spend, if it has Means,
// and any other entry otherwise.
type Record struct {
	At      int64 // in nanoseconds since 1970
	Subject string
	Window  int64
	Key     [32]byte
	Check   [32]byte
	Means   *means
	// Other are the members of the line of an entry that is no spend, between
	// those of the chain: from "kind" to before "prev".
	Other []byte
}

const prevField = `,"prev":"`

// AppendLine appends the line of an entry to dst, without its hash, as
// encoding/json writes it: what the hash is made of.
func (r *Record) AppendLine(dst []byte, seq uint64, prev *[32]byte) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendUint(dst, seq, 10)
	dst = append(dst, `,"at":"`...)
	dst = time.Unix(0, r.At).UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `",`...)
	if r.Means == nil {
		dst = append(dst, r.Other...)
	} else {
		dst = append(dst, `"kind":"spend","subject":`...)
		dst = appendQuoted(dst, r.Subject)
		if r.Window != 0 {
			dst = append(dst, `,"window":`...)
			dst = strconv.AppendInt(dst, r.Window, 10)
		}
		dst = appendDigest(dst, `,"key":"`, &r.Key)
		dst = appendDigest(dst, `,"check":"`, &r.Check)
		dst = append(dst, `,"mechanism":`...)
		dst = append(dst, r.Means.Mechanism...)
		dst = append(dst, `,"guarantee":`...)
		dst = append(dst, r.Means.Guarantee...)
		dst = appendNumber(dst, `,"nano_epsilon":`, r.Means.Epsilon)
		dst = appendNumber(dst, `,"femto_delta":`, r.Means.Delta)
	}
	dst = append(dst, prevField...)
	dst = hex.AppendEncode(dst, prev[:])
	return append(dst, `"}`...)
}

// appendDigest appends a digest that is not zero, as omitzero has it.
func appendDigest(dst []byte, field string, d *[32]byte) []byte {
	if *d == ([32]byte{}) {
		return dst
	}
	dst = append(dst, field...)
	dst = hex.AppendEncode(dst, d[:])
	return append(dst, '"')
}

func appendNumber(dst []byte, field string, n int64) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, field...), n, 10)
}

// appendQuoted appends a string as encoding/json does.
func appendQuoted(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic(err) // a string is always written
			}
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// OtherOf cuts the members between those of the chain out of a line without its
// hash. It returns nil if the line is not built like one.
func OtherOf(line []byte) []byte {
	const atField = `,"at":"`
	tail := len(prevField) + 64 + len(`"}`)
	begin := 0
	for i := len(`{"seq":`); i < len(line)-tail; i++ {
		if line[i] == ',' { // the number has ended, and the time has no comma
			for i += len(atField); i < len(line)-tail; i++ {
				if line[i] == ',' {
					begin = i + 1
					break
				}
			}
			break
		}
	}
	if begin == 0 || begin >= len(line)-tail {
		return nil
	}
	return line[begin : len(line)-tail]
}
