package shard_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/batch/shard"
)

// byID returns the release of each id.
func byID(t *testing.T, content string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(content) {
		var r struct {
			ID string          `json:"id"`
			Y  json.RawMessage `json:"y"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		all[r.ID] = string(r.Y)
	}
	return all
}

// TestNonInterference: whatever stands in one row, every other id has the same release to
// the bit, also where the files are then cut elsewhere.
func TestNonInterference(t *testing.T) {
	rows := texts(300)
	for i := range rows {
		if i%3 == 0 { // what a chunk that begins so must not take for the mark of a file
			rows[i].Text = "\ufeff" + rows[i].Text
		}
	}
	for _, format := range []string{"jsonl", "csv", "parquet"} {
		made := func(rows []row, split int64) map[string]string {
			s := spec(t, func(s *shard.Spec) { s.SplitBytes = split })
			input(t, s, format, rows)
			content, _ := release(t, s, 1)
			return byID(t, content)
		}
		want := made(rows, 1<<20)
		for i, other := range []string{"", "caf\xe9", "\xff\xfea\x00", strings.Repeat("\x00", 500), strings.Repeat("word ", 200_000), "a\nb", "\x1f\x8b"} {
			at := []int{0, 150}[i%2]
			changed := slices.Clone(rows)
			changed[at].Text = other
			got := made(changed, []int64{1 << 20, 1500, 997}[i%3])
			if len(got) != len(want) {
				t.Fatalf("%s: with %.10q there are %d releases, want %d", format, other, len(got), len(want))
			}
			for id, y := range want {
				if id != fmt.Sprintf("r%05d", at) && got[id] != y {
					t.Fatalf("%s: with %.10q the release of %s is another", format, other, id)
				}
			}
		}
	}
}
