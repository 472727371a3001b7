package ledger_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"sotto/service/ledger"
)

// some returns records that use every form.
func some() []ledger.Record {
	one := ledger.NewMeans([]byte(`{"m":1}`), []byte(`{"unit":"text","epsilon":1,"delta":0}`), 1e9, 0)
	two := ledger.NewMeans([]byte(`{"m":2}`), []byte(`{"unit":"text","epsilon":2,"delta":0.5}`), 2e9, 5e14)
	return []ledger.Record{
		{At: 1e18, Other: []byte(`"kind":"budget"`)},
		{At: 1e18, Subject: "alice", Window: 5e17, Key: [32]byte{1}, Check: [32]byte{2}, Means: one},
		{At: 1e18, Subject: "alice", Window: 5e17, Key: [32]byte{3}, Check: [32]byte{4}, Means: two},
		{At: 1e18 + 7, Subject: "<bob> & \u2028", Window: 5e17, Key: [32]byte{5}, Means: one},
		{At: 2e18, Subject: "alice", Window: -1, Key: [32]byte{6}, Means: two},
		{At: 2e18, Other: []byte(`"kind":"grant","who":"x"`)},
	}
}

func encode(c *ledger.Coder, records []ledger.Record) []byte {
	var out []byte
	for i := range records {
		out, _ = c.Append(out, &records[i])
	}
	return out
}

func decode(c *ledger.Coder, in []byte) (out []ledger.Record, err error) {
	for len(in) > 0 {
		var r ledger.Record
		n, entry, err := c.Next(in, &r)
		if err != nil {
			return out, err
		}
		if entry {
			out = append(out, r)
		}
		in = in[n:]
	}
	return out, nil
}

func TestCoder(t *testing.T) {
	for _, literal := range []bool{false, true} {
		in := encode(&ledger.Coder{Literal: literal}, some())
		got, err := decode(&ledger.Coder{}, in)
		if err != nil || !reflect.DeepEqual(got, some()) {
			t.Errorf("literal %v: read %+v, %v; want what was written", literal, got, err)
		}
		for i := range in {
			bad := bytes.Clone(in)
			bad[i] ^= 1 << (i % 8)
			if got, err := decode(&ledger.Coder{}, bad); !errors.Is(err, ledger.ErrRecordDamaged) {
				t.Errorf("literal %v, byte %d: read %+v, %v; want %v", literal, i, got, err, ledger.ErrRecordDamaged)
			}
		}
	}
}

// What was given up leaves no number behind.
func TestBack(t *testing.T) {
	var c ledger.Coder
	records := some()
	begin := encode(&c, records[:2])
	at := c.State()
	encode(&c, records[2:])
	c.Back(at)
	if c.Subject("<bob> & \u2028") != 0 || c.Subject("alice") != 1 {
		t.Error("a subject kept its number, or lost it")
	}
	got, err := decode(&ledger.Coder{}, append(begin, encode(&c, records[2:])...))
	if err != nil || !reflect.DeepEqual(got, records) {
		t.Errorf("read %+v, %v; want what was written", got, err)
	}
}

func TestOtherOf(t *testing.T) {
	r := some()[0]
	line := r.AppendLine(nil, 12, new([32]byte))
	if got := ledger.OtherOf(line); string(got) != string(r.Other) {
		t.Errorf("OtherOf(%s) = %s, want %s", line, got, r.Other)
	}
	for _, bad := range []string{"", "{}", `{"seq":1}`, `{"seq":1,"at":"2026"}`} {
		if got := ledger.OtherOf([]byte(bad)); got != nil {
			t.Errorf("OtherOf(%s) = %s, want nothing", bad, got)
		}
	}
}

// FuzzNext: whatever is read is written the same again.
func FuzzNext(f *testing.F) {
	f.Add(encode(new(ledger.Coder), some()))
	f.Add(encode(&ledger.Coder{Literal: true}, some()))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := decode(&ledger.Coder{}, in)
		if err != nil {
			if !errors.Is(err, ledger.ErrRecordDamaged) {
				t.Errorf("the error is %v, want %v", err, ledger.ErrRecordDamaged)
			}
			return
		}
		again, err := decode(&ledger.Coder{}, encode(new(ledger.Coder), got))
		if err != nil || len(got) != len(again) || len(got) > 0 && !reflect.DeepEqual(got, again) {
			t.Errorf("%+v is read again as %+v, %v", got, again, err)
		}
	})
}
