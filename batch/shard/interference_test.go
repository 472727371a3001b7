package shard_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/batch/shard"
	"sotto/compute/nn"
	"sotto/promise/mech"
	"sotto/text"
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
// the bit, in whatever order and company, also where the files are then cut elsewhere.
func TestNonInterference(t *testing.T) {
	rows := texts(300)
	for i := range rows {
		if i%3 == 0 { // what a chunk that begins so must not take for the mark of a file
			rows[i].Text = "\ufeff" + rows[i].Text
		}
	}
	others := []string{
		"", "caf\xe9", "\xff\xfea\x00", strings.Repeat("\x00", 500), strings.Repeat("word ", 200_000), "a\nb", "\x1f\x8b", `"`, `","`, "PAR1",
		"Das Zimmer war kalt", "[1,2]", "\r", "id,text,user",
	}
	for _, format := range []string{"jsonl", "csv", "parquet"} {
		t.Run(format, func(t *testing.T) { interfere(t, format, rows, others, nil) })
	}
	t.Run("users and dropout", func(t *testing.T) {
		interfere(t, "jsonl", rows, others, func(s *shard.Spec) { s.User, s.Dropout, s.Masks = "user", 0.4, mech.Bernoulli })
	})
	words := strings.Fields("a man is playing the guitar no cats")
	for i := range rows { // which the transformer knows
		rows[i].Text = strings.Join(words[i%5:5+i%4], " ")
	}
	for _, kernel := range []string{nn.NewPool(1).Kernel(), "portable"} {
		t.Run("a transformer on "+kernel, func(t *testing.T) {
			end, err := nn.Force(kernel)
			if err != nil {
				t.Fatal(err)
			}
			defer end()
			encoder := folderOf(t, nil)
			interfere(t, "jsonl", rows, others[:8], func(s *shard.Spec) { s.Encoder = encoder })
		})
	}
}

// interfere replaces rows by others.
func interfere(t *testing.T, format string, rows []row, others []string, change func(s *shard.Spec)) {
	t.Helper()
	made := func(rows []row, split int64) map[string]string {
		s := spec(t, change)
		s.SplitBytes = split
		input(t, s, format, rows)
		content, _ := release(t, s, 1)
		return byID(t, content)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	want := made(rows, 1<<20)
	for i, other := range others {
		at := []int{0, 150}[i%2]
		changed := slices.Clone(rows)
		changed[at].Text, changed[at].User = other, "u"+fmt.Sprint(i)
		id := changed[at].ID
		if i%3 > 0 {
			rng.Shuffle(len(changed), func(a, b int) { changed[a], changed[b] = changed[b], changed[a] })
			changed = changed[:len(changed)-i]
		}
		got := made(changed, []int64{1 << 20, 1500, 997}[i%3])
		if len(got) != len(changed) {
			t.Fatalf("with %.10q there are %d releases, want %d", other, len(got), len(changed))
		}
		for _, r := range changed {
			if r.ID != id && got[r.ID] != want[r.ID] {
				t.Fatalf("with %.10q the release of %s is another", other, r.ID)
			}
		}
	}
}

// TestMessagesAlone: a record that comes by itself has the release that it has beside any
// others, also beside those that are none.
func TestMessagesAlone(t *testing.T) {
	s := spec(t, func(s *shard.Spec) { s.Encoder = folderOf(t, nil) })
	w, err := shard.Open(t.Context(), s, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	mine := []byte(`{"id":"a","text":"the cat is playing the guitar"}`)
	alone, err := w.Messages(t.Context(), [][]byte{mine})
	if err != nil || alone[0].Release == nil {
		t.Fatalf("%+v, %v", alone, err)
	}
	for _, other := range []string{
		`{"id":"b","text":"` + strings.Repeat("guitar ", 30_000) + `"}`, "{\"id\":\"b\",\"text\":\"caf\xe9\"}", `{"id":"b","text":1}`, `{"id":"b"}`, `{"id":7,"text":"a"}`, "{", "", "\x00",
		`{"id":"b","text":"a","text":"b"}`, "{\"id\":\n\"b\",\"text\":\"a\"}", `[]`, `{"id":"b","text":"\ud800"}`,
	} {
		for at := range 3 {
			beside := slices.Insert([][]byte{[]byte(other), []byte(`{"id":"c","text":"a man"}`)}, at, mine)
			got, err := w.Messages(t.Context(), beside)
			if err != nil || len(got) != 3 || string(got[at].Release) != string(alone[0].Release) {
				t.Fatalf("beside %.30q the release is another, or none: %v", other, err)
			}
		}
	}
}

// TestUnfitRow: a row whose own columns are no id, no user, or nothing that can be kept stops the
// job, or is left out of what is paid for and of what is released; others have the releases that
// they have without it.
func TestUnfitRow(t *testing.T) {
	change := func(s *shard.Spec) { s.User, s.Keep, s.SkipBad = "user", []string{"g"}, true }
	good := []string{`{"id":"a","text":"a cat","user":"u","g":"x"}`, `{"id":"b","text":"a man","user":"v","g":1}`, `{"id":"c","text":"no guitar","user":"u"}`}
	made := func(rows []string, change func(s *shard.Spec)) (map[string]string, int64, error) {
		s := spec(t, change)
		write(t, s.In[0][:len(s.In[0])-1]+"jsonl", []byte(strings.Join(rows, "\n")+"\n"))
		w, chunks := planned(t, s)
		scanned, err := w.Scan(t.Context(), chunks[0])
		if err != nil {
			return nil, 0, err
		}
		paid := int64(0)
		for _, part := range scanned.Users {
			for _, spend := range part {
				paid += spend.Releases
			}
		}
		content, _ := release(t, s, 1)
		return byID(t, content), paid, nil
	}
	want, _, err := made(good, change)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		`{"id":"d","text":"a","user":"u","g":[1]}`, `{"id":"d","text":"a","user":"u","g":{}}`, `{"text":"a","user":"u"}`, `{"id":"","text":"a","user":"u"}`, `{"id":[1],"text":"a","user":"u"}`,
		`{"id":"d","text":"a"}`, `{"id":"d","text":"a","user":""}`, `{"id":"d","user":"u"}`, `{`,
	} {
		for at := range 4 {
			rows := slices.Insert(slices.Clone(good), at, bad)
			if got, paid, err := made(rows, change); err != nil || !maps.Equal(got, want) || paid != 3 {
				t.Errorf("with %s there are %d releases, %d paid for, %v, want the 3 of others", bad, len(got), paid, err)
			}
			if _, _, err := made(rows, func(s *shard.Spec) { change(s); s.SkipBad = false }); err == nil {
				t.Errorf("%s is taken", bad)
			}
		}
	}
}

// TestRecordCountsNoText: the record of a set leaves, and says the same whether a text has
// words that are known, addresses that are masked, or neither.
func TestRecordCountsNoText(t *testing.T) {
	list, err := text.ParseMaskList(strings.NewReader("friendly\n"))
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for _, other := range []string{"the room was cold", "\u2603 \u2603", "friendly, friendly and friendly"} {
		rows := texts(40)
		rows[7].Text = other
		s := spec(t, nil)
		input(t, s, "jsonl", rows)
		w, err := shard.Open(t.Context(), s, []text.Masker{list}, nil)
		if err != nil {
			t.Fatal(err)
		}
		chunks, err := w.Plan(t.Context())
		if err == nil {
			err = w.Settle(chunks)
		}
		if err != nil {
			t.Fatal(err)
		}
		var parts []shard.Part
		for _, c := range chunks {
			p, _, failed := w.Release(t.Context(), c, nil)
			if failed != nil {
				t.Fatal(failed)
			}
			p.SHA256 = "" // of releases
			parts = append(parts, p)
		}
		got, err := json.Marshal(parts)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(got)
		} else if string(got) != want {
			t.Errorf("with %q the record says %s, and else %s", other, got, want)
		}
	}
}
