package shard_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/batch/shard"
)

// TestSpill: what chunks note of their ids is read again as it was, and not at all where a
// chunk has noted none or a note is damaged.
func TestSpill(t *testing.T) {
	s := spec(t, func(*shard.Spec) {})
	input(t, s, "jsonl", texts(300))
	w, chunks := planned(t, s)
	if len(chunks) < 2 {
		t.Fatalf("%d chunks", len(chunks))
	}
	err := w.Begin(t.Context(), chunks)
	if err != nil {
		t.Fatal(err)
	}
	var want [shard.Partitions][][]byte
	for i, c := range chunks {
		if _, err = w.Spilled(0, len(chunks)); err == nil {
			t.Fatalf("%d of %d chunks have noted their ids, want that it is refused", i, len(chunks))
		}
		found, failed := w.Scan(t.Context(), c)
		if failed != nil {
			t.Fatal(failed)
		}
		for range 2 { // a chunk that runs again changes nothing
			if err = w.Spill(c, found); err != nil {
				t.Fatal(err)
			}
		}
		for at := range want {
			want[at] = append(want[at], found.IDs[at])
		}
	}
	for at := range want {
		got, failed := w.Spilled(at, len(chunks))
		if failed != nil || !bytes.Equal(bytes.Join(got, nil), bytes.Join(want[at], nil)) {
			t.Fatalf("partition %d: other names than were noted: %v", at, failed)
		}
	}
	notes, err := filepath.Glob(filepath.Join(s.Out, ".sotto-ids-*"))
	if err != nil || len(notes) != len(chunks) {
		t.Fatalf("%d notes of %d chunks: %v", len(notes), len(chunks), err)
	}
	whole, err := os.ReadFile(notes[0])
	if err != nil {
		t.Fatal(err)
	}
	huge := bytes.Clone(whole)
	huge[7] = 0x7f
	for name, damaged := range map[string][]byte{"empty": nil, "short": whole[:len(whole)-1], "long": append(bytes.Clone(whole), 0), "huge": huge} {
		if err = os.WriteFile(notes[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err = w.Spilled(0, len(chunks)); err == nil {
			t.Errorf("a note that is %s is read", name)
		}
	}
	if err = w.Sweep(); err != nil {
		t.Fatal(err)
	}
	held, err := os.ReadDir(s.Out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range held {
		if strings.HasPrefix(e.Name(), ".sotto-ids-") {
			t.Errorf("%s is left", e.Name())
		}
	}
}
