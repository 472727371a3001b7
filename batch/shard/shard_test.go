package shard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sotto/batch/shard"
	"sotto/data/table"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/vectorise"
	"sotto/promise/mech"
	"sotto/text/encode/catalogue"
)

// row is one of the test's.
type row struct {
	ID   string `json:"id" parquet:"id"`
	Text string `json:"text" parquet:"text"`
	User string `json:"user" parquet:"user"`
}

// texts makes rows whose texts differ.
func texts(n int) []row {
	words := strings.Fields("the service was friendly and quick but the room cold and dark so nobody slept")
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]row, n)
	for i := range rows {
		rng.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		rows[i] = row{fmt.Sprintf("r%05d", i), strings.Join(words[:4+rng.IntN(8)], " "), fmt.Sprintf("u%d", i%7)}
	}
	return rows
}

// spec is of files in a folder of their own, with a secret beside it.
func spec(t *testing.T, change func(*shard.Spec)) *shard.Spec {
	t.Helper()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	write(t, secret, bytes.Repeat([]byte{7}, 32))
	if err := os.Chmod(secret, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &shard.Spec{
		In: []string{filepath.Join(dir, "in.*")}, Text: "text", ID: "id", Encoder: "hash:16", Secret: secret, Out: filepath.Join(dir, "out"),
		Mechanism: mech.Params{Mechanism: "laplace-l1", Epsilon: 4}, OutFormat: vecfile.JSONL, SplitBytes: 9000,
	}
	if change != nil {
		change(s)
	}
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// input writes rows as in.FORMAT beside the secret of a spec.
func input(t *testing.T, s *shard.Spec, format string, rows []row) {
	t.Helper()
	path := filepath.Join(filepath.Dir(s.Secret), "in."+format)
	var b bytes.Buffer
	switch format {
	case "jsonl":
		for _, r := range rows {
			line, _ := json.Marshal(r)
			b.Write(append(line, '\n'))
		}
	case "csv":
		b.WriteString("id,text,user\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "%s,\"%s\",%s\n", r.ID, strings.ReplaceAll(r.Text, `"`, `""`), r.User)
		}
	case "txt":
		for _, r := range rows {
			b.WriteString(r.Text + "\n")
		}
	case "parquet":
		w := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(100))
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(t, path, b.Bytes())
}

// planned opens a spec and cuts its files.
func planned(t *testing.T, s *shard.Spec) (*shard.Worker, []shard.Chunk) {
	t.Helper()
	w, err := shard.Open(t.Context(), s, nil, nil)
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
	return w, chunks
}

// release runs all chunks of a spec, each so many times side by side, and returns the
// parts' bytes one behind the other, and how many chunks there were.
func release(t *testing.T, s *shard.Spec, times int) (string, int) {
	t.Helper()
	w, chunks := planned(t, s)
	var all strings.Builder
	for _, c := range chunks {
		parts := make([]shard.Part, times)
		errs := make([]error, times)
		var done sync.WaitGroup
		for i := range times {
			done.Go(func() { parts[i], _, errs[i] = w.Release(t.Context(), c, nil) })
		}
		done.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if p.SHA256 != parts[0].SHA256 {
				t.Errorf("part %s was released twice with different bytes", p.File)
			}
		}
		content, err := os.ReadFile(filepath.Join(s.Out, parts[0].File))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String(), len(chunks)
}

// lines are those of a text, each without the id.
func lines(t *testing.T, s string) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(s) {
		_, vector, ok := strings.Cut(line, `"y":`)
		if !ok {
			t.Fatal("a line has no vector")
		}
		all = append(all, vector)
	}
	return all
}

// TestSame: what is cut into chunks, each run twice at a time, is what the code of
// "sotto encode" makes of the whole file with the same noise.
func TestSame(t *testing.T) {
	s := spec(t, nil)
	input(t, s, "jsonl", texts(500))
	got, chunks := release(t, s, 2)
	if chunks < 4 {
		t.Fatalf("there are %d chunks, want several", chunks)
	}
	w, err := shard.Open(t.Context(), s, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	in, err := textfile.OpenDeclared(filepath.Join(filepath.Dir(s.Secret), "in.jsonl"), textfile.Options{Column: "text", Beside: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	e, err := catalogue.Open(t.Context(), catalogue.Said(s.Encoder), "")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out, err := vecfile.NewWriter(&b, vecfile.JSONL, vecfile.WriterOptions{Width: 16, Beside: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	if _, err = vectorise.Run(t.Context(), vectorise.Job{
		In: in, Encoder: e, Out: out, Mechanism: w.Mechanism(), Workers: 3,
		Row: func(_ string, v []table.Value) ([]vecfile.Field, bool, error) {
			ids = append(ids, v[0].Text)
			return []vecfile.Field{{Text: v[0].Text}}, true, nil
		},
		Noise: func(place int64, x []float32) rand.Source {
			return w.Key().Drawer().Noise(shard.Row{ID: ids[place]}, x)
		},
	}); err != nil {
		t.Fatal(err)
	}
	if err = out.Close(); err != nil {
		t.Fatal(err)
	}
	if got != b.String() {
		t.Error("chunks differ from the whole file")
	}
}

// TestFormats: the same records are the same releases in whichever format and size of
// chunks they come.
func TestFormats(t *testing.T) {
	rows := texts(400)
	s := spec(t, nil)
	input(t, s, "jsonl", rows)
	want, _ := release(t, s, 1)
	for _, c := range []struct {
		format string
		chunks int
		split  int64
	}{{"jsonl", 1, 1 << 30}, {"csv", 1, 100}, {"parquet", 4, 100}} {
		s := spec(t, func(s *shard.Spec) { s.SplitBytes = c.split })
		input(t, s, c.format, rows)
		got, chunks := release(t, s, 1)
		if got != want || chunks != c.chunks {
			t.Errorf("%s in %d chunks, want %d: releases are the same: %v", c.format, chunks, c.chunks, got == want)
		}
	}
}

// TestPlainText: lines without ids are named by file and line, wherever they are cut.
func TestPlainText(t *testing.T) {
	rows := texts(300)
	rows[17].Text = ""
	var got []string
	for _, split := range []int64{500, 1 << 20} {
		s := spec(t, func(s *shard.Spec) { s.Text, s.ID, s.Name, s.SplitBytes = "", "", "lines", split })
		input(t, s, "txt", rows)
		all, _ := release(t, s, 1)
		got = append(got, all)
	}
	if got[0] != got[1] || len(lines(t, got[0])) != 300 {
		t.Error("releases depend on where a file is cut")
	}
}

// TestVectors: rows of NPY are released as they are cut, and as the whole.
func TestVectors(t *testing.T) {
	var b bytes.Buffer
	w, err := vecfile.NewWriter(&b, vecfile.NPY, vecfile.WriterOptions{Width: 5, Rows: 100})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 500)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	if err = errors.Join(w.WriteRows(x), w.Close()); err != nil {
		t.Fatal(err)
	}
	var all [2][]float64
	for i, split := range []int64{400, 1 << 20} {
		s := spec(t, func(s *shard.Spec) {
			s.Vectors, s.Text, s.ID, s.Encoder, s.Name, s.SplitBytes, s.OutFormat = true, "", "", "", "rows", split, vecfile.NPY
		})
		write(t, filepath.Join(filepath.Dir(s.Secret), "in.npy"), b.Bytes())
		_, chunks := release(t, s, 2)
		if (chunks > 5) != (i == 0) {
			t.Errorf("there are %d chunks", chunks)
		}
		names, err := filepath.Glob(filepath.Join(s.Out, "part-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			r, err := vecfile.Open(name, vecfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]float64, 500)
			n, err := r.ReadRows(rows)
			if err = errors.Join(err, r.Close()); err != nil {
				t.Fatal(err)
			}
			all[i] = append(all[i], rows[:n*5]...)
		}
	}
	if len(all[0]) != 500 || !slices.Equal(all[0], all[1]) {
		t.Error("releases depend on where a file is cut")
	}
}

// TestNoiseIsOfTheRecord: another id, text, ε or secret has other noise; the same
// record has the same.
func TestNoiseIsOfTheRecord(t *testing.T) {
	base := []row{{ID: "a", Text: "the same text"}, {ID: "b", Text: "the same text"}}
	one := func(change func(*shard.Spec), rows []row) []string {
		s := spec(t, change)
		input(t, s, "jsonl", rows)
		all, _ := release(t, s, 1)
		return lines(t, all)
	}
	first := one(nil, base)
	if again := one(nil, base); !slices.Equal(first, again) {
		t.Error("a record that is released again differs")
	}
	if first[0] == first[1] {
		t.Error("two records of one text have the same release")
	}
	for name, other := range map[string][]string{
		"ε": one(func(s *shard.Spec) { s.Mechanism.Epsilon = 5 }, base),
		"secret": one(func(s *shard.Spec) {
			write(t, s.Secret, bytes.Repeat([]byte{8}, 32))
		}, base),
	} {
		if other[0] == first[0] {
			t.Errorf("another %s has the same release", name)
		}
	}
	// The noise of another text is another: the difference of releases is not that of
	// the vectors.
	s := spec(t, nil)
	w, err := shard.Open(t.Context(), s, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]float32, 16), make([]float32, 16)
	y[3] = 0x1p-20
	word := w.Key().Drawer().Noise(shard.Row{ID: "a"}, x).Uint64()
	if word == w.Key().Drawer().Noise(shard.Row{ID: "a"}, y).Uint64() {
		t.Error("another vector under the same id draws the same noise")
	}
	if word != w.Key().Drawer().Noise(shard.Row{ID: "a"}, x).Uint64() {
		t.Error("the same vector under the same id draws other noise")
	}
}

// TestScan counts duplicates and what users owe.
func TestScan(t *testing.T) {
	s := spec(t, func(s *shard.Spec) { s.User = "user" })
	rows := texts(300)
	rows[250].ID, rows[251].ID, rows[299].ID = rows[3].ID, rows[3].ID, rows[4].ID
	input(t, s, "jsonl", rows)
	w, chunks := planned(t, s)
	var ids [shard.Partitions][][]byte
	owed := map[string]shard.Spend{}
	for _, c := range chunks {
		found, failed := w.Scan(t.Context(), c)
		if failed != nil {
			t.Fatal(failed)
		}
		for at := range ids {
			ids[at] = append(ids[at], found.IDs[at])
			if err := shard.UnpackSpends(owed, shard.PackSpends(found.Users[at])); err != nil {
				t.Fatal(err)
			}
		}
	}
	var found []shard.Duplicates
	for _, packed := range ids {
		found = append(found, shard.FindDuplicates(packed))
	}
	err := shard.Refuse(found...)
	if !errors.Is(err, shard.ErrDuplicates) || !strings.Contains(err.Error(), "2 ids") {
		t.Fatalf("got %v, want that 2 ids stand twice", err)
	}
	for _, id := range []string{rows[3].ID, rows[4].ID} {
		if !strings.Contains(err.Error(), w.Name(id)) {
			t.Errorf("the error does not name an id that stands twice")
		}
		if strings.Contains(err.Error(), id) {
			t.Error("the error quotes an id")
		}
	}
	if len(owed) != 7 || owed["u0"].Releases != 43 {
		t.Errorf("%d users owe, the first for %d releases; want 7 and 43", len(owed), owed["u0"].Releases)
	}
	if err = shard.UnpackSpends(map[string]shard.Spend{}, []byte{200, 1}); err == nil {
		t.Error("damaged spends are read")
	}
}

// TestRefuses: what cannot be done is said before anything is.
func TestRefuses(t *testing.T) {
	for want, change := range map[string]func(*shard.Spec){
		"must be one that this program computes": func(s *shard.Spec) { s.Encoder = "command:cat" },
		"has no place for ids":                   func(s *shard.Spec) { s.OutFormat = vecfile.NPY },
		"is also kept":                           func(s *shard.Spec) { s.Keep = []string{"text"} },
		"the secret":                             func(s *shard.Spec) { s.Secret += "x" },
	} {
		s := spec(t, change)
		if _, err := shard.Open(t.Context(), s, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
