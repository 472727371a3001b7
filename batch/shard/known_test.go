package shard_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sotto/batch/shard"
	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/data/vecfile"
	"sotto/promise/mech"
	"sotto/study/language/mask"
	"sotto/text"
)

// at is a spec whose files are those of a folder of its own, below that of the secret.
func at(t *testing.T, of *shard.Spec, folder, format string, rows []row) *shard.Spec {
	t.Helper()
	s, dir := *of, filepath.Join(filepath.Dir(of.Secret), folder)
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o700); err != nil {
		t.Fatal(err)
	}
	beside := s
	beside.Secret = filepath.Join(dir, "secret")
	input(t, &beside, format, rows)
	s.In, s.Out = []string{filepath.Join(dir, "in.*")}, filepath.Join(dir, "out")
	return &s
}

// same counts the releases that two jobs have in common, row by row.
func same(a, b []string) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// TestDailyFiles: without ids, equal texts on equal lines of two files have other noise:
// who knows what a file of alice says knows nothing of bob's, and what a file of today
// says nothing of tomorrow's. The same job releases the same file again.
func TestDailyFiles(t *testing.T) {
	for _, format := range []string{"txt", "jsonl", "csv"} {
		base := spec(t, func(s *shard.Spec) {
			if s.ID = ""; format == "txt" {
				s.Text = ""
			}
		})
		rows := texts(40)
		other := slices.Clone(rows)
		other[39].Text = "something else"
		run := func(s *shard.Spec) []string {
			all, _ := release(t, s, 2)
			return lines(t, all)
		}
		today := run(at(t, base, "today", format, rows))
		if again := run(at(t, base, "today", format, rows)); same(today, again) != 40 {
			t.Errorf("%s: a job that runs again has %d of 40 releases again", format, same(today, again))
		}
		for name, s := range map[string]*shard.Spec{
			"tomorrow's file":           at(t, base, "tomorrow", format, other),
			"the same file elsewhere":   at(t, base, "bob", format, rows),
			"a file that became longer": at(t, base, "today", format, append(slices.Clone(rows), row{"r", "one more", "u"})),
		} {
			if n := same(today, run(s)); n != 0 {
				t.Errorf("%s: %s has %d of 40 releases of another file", format, name, n)
			}
		}
		base.Name = "daily" // a name of one's own takes the place of where files are
		named := run(at(t, base, "alice", format, rows))
		if n := same(named, run(at(t, base, "carol", format, rows))); n != 40 {
			t.Errorf("%s: a job of one name has %d of 40 releases of the same file elsewhere", format, n)
		}
		if n := same(named, run(at(t, base, "dave", format, other))); n != 0 {
			t.Errorf("%s: a job of one name has %d of 40 releases of another file", format, n)
		}
	}
}

// TestTwins: files of one name and one content in one job have noise of their own.
func TestTwins(t *testing.T) {
	base := spec(t, func(s *shard.Spec) { s.ID, s.Text, s.Name = "", "", "twins" })
	a, b := at(t, base, "a", "txt", texts(20)), at(t, base, "b", "txt", texts(20))
	both := *base
	both.In = append(slices.Clone(a.In), b.In...)
	all, chunks := release(t, &both, 1)
	if got := lines(t, all); chunks != 2 || len(got) != 40 || same(got[:20], got[20:]) != 0 {
		t.Errorf("two files of one name and content have %d of 20 releases in common", same(got[:20], got[20:]))
	}
}

// TestCumulative: with ids, a row of a user is the same release in every job, whatever else
// is in its file. Another user's row of that id and text has other noise, and so has the
// row once its text is another.
func TestCumulative(t *testing.T) {
	base := spec(t, func(s *shard.Spec) { s.User = "user" })
	rows := texts(60)
	run := func(folder string, rows []row) []string {
		all, _ := release(t, at(t, base, folder, "jsonl", rows), 1)
		return lines(t, all)
	}
	yesterday := run("yesterday", rows[:40])
	today := run("today", rows)
	if n := same(yesterday, today); n != 40 {
		t.Errorf("%d of 40 rows have the same release in a file that has more", n)
	}
	theirs, changed := slices.Clone(rows), slices.Clone(rows)
	for i := range rows {
		theirs[i].User = "another"
		changed[i].Text += " indeed"
	}
	if n := same(yesterday, run("theirs", theirs)); n != 0 {
		t.Errorf("%d of 40 rows of another user with the same ids have the same release", n)
	}
	if n := same(yesterday, run("changed", changed)); n != 0 {
		t.Errorf("%d of 40 rows with another text have the same release", n)
	}
	base.User = ""
	if n := same(yesterday, run("nobody's", rows)); n != 0 {
		t.Errorf("%d of 40 rows of nobody have the release of a user's", n)
	}
}

// TestRowsApart: no two rows that differ in anything share noise, masks or checks, also
// where their parts say the same one behind the other.
func TestRowsApart(t *testing.T) {
	s := spec(t, nil)
	input(t, s, "jsonl", texts(1))
	w, _ := planned(t, s)
	rows := []shard.Row{
		{ID: "ab"},
		{User: "a", ID: "b"},
		{User: "ab", ID: "c"},
		{User: "a", ID: "bc"},
		{Job: "ab", File: "c", Place: "d"},
		{Job: "a", File: "bc", Place: "d"},
		{User: "ab", Job: "", File: "c", Place: "d"},
		{Job: "ab", File: "", Place: "cd"},
	}
	seen := map[uint64]string{}
	for _, r := range rows {
		d := w.Key().Drawer()
		for use, word := range map[string]uint64{
			"noise": d.Noise(r, []float32{1, 2}).Uint64(), "other noise": d.Noise(r, []float32{1, 3}).Uint64(),
			"noise of 64 bits": d.NoiseOf(r, []float64{1}).Uint64(), "masks": d.Masks(r, 0.5, mech.Bernoulli, "text").Uint64(),
			"other masks": d.Masks(r, 0.25, mech.Bernoulli, "text").Uint64(), "fixed masks": d.Masks(r, 0.5, mech.FixedCount, "text").Uint64(),
		} {
			if before := seen[word]; before != "" {
				t.Errorf("%+v has for %s what %s has", r, use, before)
			}
			seen[word] = fmt.Sprintf("%+v for %s", r, use)
		}
	}
}

// TestFolder: parts of another job are never taken for those of this one, and the refusal
// says what is another: files, settings, secret, numerics or the scheme of noise.
func TestFolder(t *testing.T) {
	rows := texts(30)
	base := spec(t, func(s *shard.Spec) { s.Name = "daily" })
	first := at(t, base, "a", "jsonl", rows)
	begin := func(s *shard.Spec) error {
		w, chunks := planned(t, s)
		return w.Begin(t.Context(), chunks)
	}
	for range 2 {
		if err := begin(first); err != nil {
			t.Fatal(err)
		}
	}
	other := func(change func(s *shard.Spec)) *shard.Spec {
		s := *first
		s.Known = nil
		change(&s)
		return &s
	}
	fewer := at(t, base, "b", "jsonl", rows[:29])
	secret := filepath.Join(filepath.Dir(base.Secret), "another")
	if err := os.WriteFile(secret, bytes.Repeat([]byte{9}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]*shard.Spec{
		"job daily over other files":    other(func(s *shard.Spec) { s.In = fewer.In }),
		"job daily with other settings": other(func(s *shard.Spec) { s.Mechanism.Epsilon = 5 }),
		"released under the secret":     other(func(s *shard.Spec) { s.Secret = secret }),
		"the set of another job, daily": other(func(s *shard.Spec) { s.Name = "weekly" }),
	} {
		if err := begin(s); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "must be") && !strings.Contains(err.Error(), "must have") {
			t.Errorf("got %v, want %q and what to do", err, want)
		}
	}
	if err := begin(other(func(s *shard.Spec) { s.Keep = []string{"user"} })); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("parts with other columns: %v", err)
	}
	for _, name := range []string{shard.SetFile, "set.unfinished.json"} { // as the version before wrote them
		dir := t.TempDir()
		old, err := json.Marshal(map[string]any{"job": "daily"})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), old)
		write(t, filepath.Join(dir, "part-00000-00000.jsonl"), nil)
		err = begin(other(func(s *shard.Spec) { s.Out = dir }))
		for _, want := range []string{"job daily", `"sotto batch 1"`, "finish that job with the version that began it", "another folder"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of an earlier version: got %v, want %q", name, err, want)
			}
		}
	}
	write(t, filepath.Join(first.Out, "other.txt"), nil)
	if err := begin(first); err == nil || !strings.Contains(err.Error(), "other.txt") {
		t.Errorf("a folder with another file: %v", err)
	}
}

// TestLegacyName: the name that the version before gave a job is found again, so that its
// payment is.
func TestLegacyName(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in.jsonl", []byte(`{"id":"a","text":"one two","user":"u"}`+"\n"))
	if err := os.WriteFile("secret", bytes.Repeat([]byte{7}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"id": "c21419d737bf461881c75148", "": "3c0f6c7d34ba9b76ebc0e8e4"} {
		s := &shard.Spec{
			In: []string{"in.*"}, Text: "text", ID: id, User: "user", Encoder: "hash:16", Secret: "secret", Out: "out",
			Mechanism: mech.Params{Mechanism: "laplace-l1", Epsilon: 4}, OutFormat: vecfile.JSONL, SplitBytes: 9000,
		}
		planned(t, s)
		if s.Known.Legacy != want || s.Name == want || s.Name == "" {
			t.Errorf("the job is %q and was %q, want it to have been %q", s.Name, s.Known.Legacy, want)
		}
		s.Name, s.Known = "mine", nil
		if planned(t, s); s.Known.Legacy != "" || s.Name != "mine" {
			t.Errorf("a job with a name of its own has %q, and is %q", s.Known.Legacy, s.Name)
		}
	}
}

// TestNamesTellNothing: what leaves of a job, its name and the digests of its record, is
// keyed: under another secret all of it is another, so that nobody can try files.
func TestNamesTellNothing(t *testing.T) {
	said := func(fill byte) []string {
		s := spec(t, nil)
		input(t, s, "jsonl", texts(5))
		write(t, s.Secret, bytes.Repeat([]byte{fill}, 32))
		set, _ := runAll(t, s, nil)
		if set.Scheme != shard.Scheme || set.Numerics != "" {
			t.Errorf("the record says scheme %q and numerics %q", set.Scheme, set.Numerics)
		}
		return []string{set.Job, set.Settings, set.Files}
	}
	for i, v := range said(1) {
		if other := said(2)[i]; v == "" || v == other {
			t.Errorf("number %d is %q under one secret and %q under another", i, v, other)
		}
	}
}

// folderOf is a tiny transformer.
func folderOf(t *testing.T, change func(m *tiny.Model)) string {
	t.Helper()
	m, dir := tiny.Even(), t.TempDir()
	if change != nil {
		change(m)
	}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestOtherNumerics: a machine that rounds otherwise, and an encoder whose files are others,
// are refused by the folder of a job and as one of its workers; a new job of theirs has
// another name.
func TestOtherNumerics(t *testing.T) {
	fast := nn.NewPool(1).Kernel()
	if fast == "portable" {
		t.Skip("this machine has no other kernels")
	}
	rows := []row{{"a", "the cat is playing the guitar", "u"}, {"b", "a man is playing", "u"}}
	encoder := folderOf(t, nil)
	base := spec(t, func(s *shard.Spec) { s.Encoder = encoder })
	first := at(t, base, "first", "jsonl", rows)
	w, chunks := planned(t, first)
	if err := w.Begin(t.Context(), chunks); err != nil {
		t.Fatal(err)
	}
	released, _ := release(t, first, 1)

	end, err := nn.Force("portable")
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if _, err = shard.Open(t.Context(), first, nil, nil); err == nil || !strings.Contains(err.Error(), "kernels (portable, not fma) round otherwise") || !strings.Contains(err.Error(), "machines of one kind") {
		t.Errorf("a worker with other kernels: %v", err)
	}
	again := *first
	again.Name, again.Known = "", nil
	w, chunks = planned(t, &again)
	if err = w.Begin(t.Context(), chunks); err == nil || !strings.Contains(err.Error(), "kernels (portable, not fma) round otherwise") || !strings.Contains(err.Error(), "another folder") {
		t.Errorf("a folder that was begun with other kernels: %v", err)
	}
	if again.Name == first.Name {
		t.Error("the job has the same name on another machine, whose releases are others")
	}
	again.Out = filepath.Join(filepath.Dir(again.Out), "portable")
	if err = os.MkdirAll(again.Out, 0o700); err != nil {
		t.Fatal(err)
	}
	if other, _ := release(t, &again, 1); same(lines(t, released), lines(t, other)) != 0 {
		t.Error("other kernels gave the same releases: nothing was tested")
	}
	end()

	changed := tiny.Even()
	changed.Tensors["encoder.layer.0.output.dense.bias"].Data[0] += 0.5
	if err = changed.Write(encoder); err != nil {
		t.Fatal(err)
	}
	again = *first
	if _, err = shard.Open(t.Context(), &again, nil, nil); err == nil || !strings.Contains(err.Error(), "the encoder's files or their bits are others") {
		t.Errorf("a worker with other files: %v", err)
	}
	again.Name, again.Known = "", nil
	w, chunks = planned(t, &again)
	if err = w.Begin(t.Context(), chunks); err == nil || !strings.Contains(err.Error(), "the encoder's files or their bits are others") {
		t.Errorf("a folder that was begun with other files: %v", err)
	}
}

// TestNumericsOfMasks: masks of relations are told by networks, which round by processor, so
// that they are numerics of a job whose encoder has none; other masks are not.
func TestNumericsOfMasks(t *testing.T) {
	fast := nn.NewPool(1).Kernel()
	if fast == "portable" {
		t.Skip("this machine has no other kernels")
	}
	s := spec(t, nil)
	input(t, s, "jsonl", texts(3))
	settled := func(types string) *shard.Spec {
		m, err := mask.Open("types:"+types, mask.Tag, nil)
		if err != nil {
			t.Fatal(err)
		}
		one := *s
		w, err := shard.Open(t.Context(), &one, []text.Masker{m}, nil)
		if err != nil {
			t.Fatal(err)
		}
		chunks, err := w.Plan(t.Context())
		if err = cmp.Or(err, w.Settle(chunks)); err != nil {
			t.Fatal(err)
		}
		return &one
	}
	if exact := settled("email,names"); exact.Known.Numerics != "" {
		t.Errorf("masks of names have the numerics %q, want none", exact.Known.Numerics)
	}
	job := settled("relations")
	if family, _, _ := strings.Cut(job.Known.Numerics, ":"); family != "fma "+runtime.GOARCH {
		t.Errorf("masks of relations have the numerics %q, want those of kernels and processors", job.Known.Numerics)
	}
	end, err := nn.Force("portable")
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	m, err := mask.Open("types:relations", mask.Tag, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = shard.Open(t.Context(), job, []text.Masker{m}, nil); err == nil || !strings.Contains(err.Error(), "kernels (portable "+runtime.GOARCH+", not fma "+runtime.GOARCH+") round otherwise") {
		t.Errorf("a worker with other kernels: %v", err)
	}
}
