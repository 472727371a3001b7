package pipeline_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"sotto/batch/pipeline"
	"sotto/batch/shard"
	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/promise/dp"
	"sotto/service/ledger"
)

// wealthy opens a ledger that everybody can pay from, and returns its place and how many spends
// it has.
func wealthy(t *testing.T, dir string) (place string, with func(func(*ledger.Ledger) error, ledger.Options), spends func() uint64) {
	t.Helper()
	place, with = book(t, dir)
	with(func(*ledger.Ledger) error { return nil }, ledger.Options{New: true, Budget: ledger.Budget{Unit: dp.Text, Epsilon: 1e6}})
	return place, with, func() (n uint64) {
		with(func(l *ledger.Ledger) error {
			p, err := l.Verify(t.Context())
			n = p.Spends
			return err
		}, ledger.Options{})
		return n
	}
}

// refused runs a job that the ledger must refuse for what it says, with nothing written and
// nothing paid.
func refused(t *testing.T, j *pipeline.Job, spends func() uint64, want ...string) {
	t.Helper()
	before := spends()
	_, err := pipeline.Run(t.Context(), j, "prism")
	for _, w := range want {
		if !errors.Is(err, ledger.ErrConflict) || !strings.Contains(err.Error(), w) {
			t.Errorf("got %v, want a conflict with %q", err, w)
		}
	}
	if after := spends(); after != before || written(j, 0)() {
		t.Errorf("a job that was refused has paid (%d spends, and %d before) or written", after, before)
	}
}

// TestOneName: a job that was paid for under a name is the only one that the name stands
// for. The same one runs again for free, wherever it writes.
func TestOneName(t *testing.T) {
	dir := folder(t, 60, unique)
	place, _, spends := wealthy(t, dir)
	named := func(out string, change func(j *pipeline.Job)) *pipeline.Job {
		j := paying(job(dir, out), place)
		if j.Name = "daily"; change != nil {
			change(j)
		}
		return j
	}
	if _, err := pipeline.Run(t.Context(), named("out", nil), "prism"); err != nil {
		t.Fatal(err)
	}
	paid := spends()
	if set, err := pipeline.Run(t.Context(), named("again", nil), "prism"); err != nil || set.Released != 60 || spends() != paid {
		t.Errorf("the same job again, elsewhere: %+v, %v, %d spends and %d before", set, err, spends(), paid)
	}
	refused(t, named("other ε", func(j *pipeline.Job) { j.Mechanism.Epsilon = 5 }), spends, "job daily", "other settings", "--job")
	more := folder(t, 63, unique)
	refused(t, named("other files", func(j *pipeline.Job) { j.In = []string{filepath.Join(more, "*.jsonl")} }), spends, "job daily", "other files", "--job")
	if err := os.WriteFile(filepath.Join(dir, "in-0.jsonl"), []byte(`{"id":"r0","text":"another text","user":"somebody new"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, named("changed files", nil), spends, "job daily", "other files")
	if set, err := pipeline.Run(t.Context(), named("new", func(j *pipeline.Job) { j.Name = "daily 2" }), "prism"); err != nil || set.Released != 41 {
		t.Errorf("another name: %+v, %v", set, err)
	}
}

// TestOlderScheme: what was paid for by a version that keyed noise by the id alone is refused
// by the name that it had, before anybody pays for the same rows twice.
func TestOlderScheme(t *testing.T) {
	dir := folder(t, 30, unique)
	place, with, spends := wealthy(t, dir)
	plan := paying(job(dir, "plan"), place)
	if _, _, err := pipeline.Plan(t.Context(), plan); err != nil || plan.Known.Legacy == "" {
		t.Fatalf("the job was called %q: %v", plan.Known.Legacy, err)
	}
	with(func(l *ledger.Ledger) error {
		for i, name := range []string{plan.Known.Legacy, "daily"} {
			_, err := l.Reserve(t.Context(), ledger.Shard{
				Job: name, Name: fmt.Sprintf("users %d/0", 17+i), Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 4}, Mechanism: "laplace",
				Demands: []ledger.Demand{{Subject: "u1", Releases: 3, Check: ledger.Digest{1}}},
			})
			if err != nil {
				return err
			}
		}
		return nil
	}, ledger.Options{})
	for name, want := range map[string]string{"": plan.Known.Legacy, "daily": "daily"} {
		j := paying(job(dir, "out"), place)
		j.Name = name
		refused(t, j, spends, "job "+want+" was paid for by an earlier version", "finish it with the version that began it", "--job")
		if err := os.RemoveAll(j.Out); err != nil {
			t.Fatal(err)
		}
	}
	j := paying(job(dir, "out"), place)
	j.Name = "anew"
	if set, err := pipeline.Run(t.Context(), j, "prism"); err != nil || set.Released != 30 {
		t.Errorf("under a name of its own: %+v, %v", set, err)
	}
}

// TestOtherNumericsPaid: a job of a transformer that was paid for on one kind of machine is
// refused under its name on another, and is paid for there as a job of its own.
func TestOtherNumericsPaid(t *testing.T) {
	fast := nn.NewPool(1).Kernel()
	if fast == "portable" {
		t.Skip("this machine has no other kernels")
	}
	dir := folder(t, 30, unique)
	encoder := filepath.Join(dir, "encoder")
	if err := errors.Join(os.Mkdir(encoder, 0o700), tiny.Even().Write(encoder)); err != nil {
		t.Fatal(err)
	}
	place, with, spends := wealthy(t, dir)
	run := func(out, name string) *pipeline.Job {
		j := paying(job(dir, out), place)
		j.Encoder, j.Name = encoder, name
		return j
	}
	for _, name := range []string{"daily", ""} {
		if set, err := pipeline.Run(t.Context(), run("fast"+name, name), "prism"); err != nil || set.Numerics == "" || !strings.HasPrefix(set.Numerics, "fma:") {
			t.Fatalf("%+v, %v", set, err)
		}
	}
	before := spent(t, with)
	end, err := nn.Force("portable")
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	refused(t, run("portable", "daily"), spends, "job daily", "other numerics", "machines of the kind that began it", "--job")
	if _, err = pipeline.Run(t.Context(), run("fast", ""), "prism"); err == nil || !strings.Contains(err.Error(), "kernels (portable, not fma)") {
		t.Errorf("the folder of the other machine: %v", err)
	}
	if set, err := pipeline.Run(t.Context(), run("anew", ""), "prism"); err != nil || !strings.HasPrefix(set.Numerics, "portable:") {
		t.Errorf("a folder of its own: %+v, %v", set, err)
	}
	if after := spent(t, with); !(after > before) {
		t.Errorf("u1 has spent %v before another machine released the same rows, and %v after", before, after)
	}
}

// TestStreamBegunOtherwise: a stream of releases is not gone on with by another scheme or
// with other numerics, since the server knows releases by their names alone.
func TestStreamBegunOtherwise(t *testing.T) {
	dir := folder(t, 3, unique)
	for want, header := range map[string]nats.Header{
		"begun by an earlier version":    {},
		`begun by the scheme "sotto`:     {"Sotto-Scheme": {"sotto batch 9"}},
		`begun with the numerics "fma:1`: {"Sotto-Scheme": {shard.Scheme}, "Sotto-Numerics": {"fma:1"}},
	} {
		url, js := broker(t)
		header.Set("Sotto-Published", "2026-01-02T03:04:05Z")
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: "releases.x", Data: []byte("{}"), Header: header}); err != nil {
			t.Fatal(err)
		}
		s := &pipeline.Stream{Job: *job(dir, "unused"), URL: url, From: "records", Subject: "records.>", To: "releases", Last: 1}
		s.In, s.Out = nil, ""
		if err := pipeline.RunStream(t.Context(), s, "prism"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "another stream for releases") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
