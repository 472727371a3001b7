package pipeline_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sotto/batch/pipeline"
	"sotto/batch/shard"
	"sotto/promise/dp"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// account is a ledger in PostgreSQL that the users of a test pay from.
type account struct {
	*ledger.Ledger
	t             *testing.T
	schema, place string
	before        float64 // what one user has spent before any job
}

// newAccount opens an empty ledger with a budget for each user, as a gateway would beside
// the jobs. One user has spent some of it already.
func newAccount(t *testing.T, dir string, epsilon, spent float64) *account {
	t.Helper()
	server := pgtest.Shared(t)
	secret, _, err := gateway.LoadSecret(filepath.Join(dir, "secret"), false)
	if err != nil {
		t.Fatal(err)
	}
	a := &account{t: t, schema: server.Schema(t), before: spent}
	a.place = server.URL(a.schema)
	if a.Ledger, err = ledger.OpenPostgres(t.Context(), a.place, ledger.Options{
		New: true, Budget: ledger.Budget{Unit: dp.Text, Epsilon: epsilon}, SecretID: secret.ID(), ChainKey: secret.ChainKey(),
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	if _, err = a.Spend(t.Context(), ledger.Request{
		Subject: "u3", Key: ledger.Digest{1}, Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(spent)}, Mechanism: "another",
	}); err != nil {
		t.Fatal(err)
	}
	return a
}

// job is one over the files of a folder that is paid for from the account.
func (a *account) job(dir, out, exhausted string) *pipeline.Job {
	j := job(dir, out)
	j.User, j.Ledger, j.OnExhausted = "user", a.place, exhausted
	return j
}

// spends proves the ledger and returns how many spends it has.
func (a *account) spends() uint64 {
	a.t.Helper()
	p, err := a.Verify(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	return p.Spends
}

// check looks whether everybody has paid for one job, but for the one who had spent too
// much before it.
func (a *account) check(each float64) {
	a.t.Helper()
	for i := range 10 {
		user, want := fmt.Sprint("u", i), each
		if user == "u3" {
			want = a.before
		}
		b, err := a.Balance(a.t.Context(), user)
		if err != nil {
			a.t.Fatal(err)
		}
		if got := b.Spent.EpsilonValue(); !(got > want-1e-3 && got < want+1e-3) { // as costs are rounded
			a.t.Errorf("%s has spent %v, want %v", user, got, want)
		}
	}
}

// TestPaidPostgres: a job whose users pay from PostgreSQL is killed when some of them have
// paid, and again when something is released. Whoever runs it again pays nothing, and gets
// the bytes of a job that nobody disturbed, with the rows of the one left out who cannot pay.
func TestPaidPostgres(t *testing.T) {
	const rows, each = 6000, 600 * 4 // ε of a user
	dir := folder(t, rows, unique)
	calm := newAccount(t, dir, 3000, 1000)
	undisturbed, err := pipeline.Run(t.Context(), calm.job(dir, "calm", pipeline.LeaveOut), "prism")
	if err != nil {
		t.Fatal(err)
	}
	a := newAccount(t, dir, 3000, 1000)
	refused := a.job(dir, "none", pipeline.Refuse)
	if _, err = pipeline.Run(t.Context(), refused, "prism"); !errors.Is(err, dp.ErrBudget) {
		t.Fatalf("with one who cannot pay: %v, want %v", err, dp.ErrBudget)
	}
	if written(refused, 0)() || a.spends() != 1 {
		t.Errorf("a job that is refused has written parts, or %d spends, want none beside the first", a.spends())
	}
	j := a.job(dir, "out", pipeline.LeaveOut)
	head := pgtest.Shared(t).Connect(t, a.schema)
	if !killWhen(t, j, func() bool {
		var is bool
		failed := head.QueryRow(t.Context(), "SELECT spends > 1 FROM sotto_ledger_head").Scan(&is)
		return failed == nil && is
	}) || !killWhen(t, j, written(j, 1)) {
		t.Fatal("the job ended before it could be killed: nothing was tested")
	}
	after := a.spends()
	set, err := pipeline.Run(t.Context(), j, "prism")
	if err != nil {
		t.Fatal(err)
	}
	if want := (shard.Paid{Users: 9, Releases: rows * 9 / 10, Exhausted: 1}); set.Released != want.Releases || set.LeftOut != rows/10 || *set.Paid != want {
		t.Errorf("released %d, left out %d, paid %+v; want %+v", set.Released, set.LeftOut, *set.Paid, want)
	}
	if set.Rows != undisturbed.Rows || content(t, j.Out) != content(t, filepath.Join(dir, "calm")) {
		t.Error("a job that was killed twice left other bytes")
	}
	if strings.Contains(content(t, j.Out), `"id":"r13"`) {
		t.Error("a row of a user who could not pay was released")
	}
	if a.spends() != after || after != calm.spends() {
		t.Errorf("%d spends when it was killed and %d in the end, want %d, as where nobody was", after, a.spends(), calm.spends())
	}
	a.check(each)
}

// TestRefusedWhole: a job with more users than pay in one call is refused for one of the
// last, and none of the others has paid.
func TestRefusedWhole(t *testing.T) {
	pipeline.Fewer(t, 1, 2) // so that the first two of ten would have
	dir := folder(t, 60, unique)
	a := newAccount(t, dir, 30, 10) // 24 for each
	j := a.job(dir, "out", pipeline.Refuse)
	if _, err := pipeline.Run(t.Context(), j, "prism"); !errors.Is(err, dp.ErrBudget) {
		t.Fatalf("with one who cannot pay: %v, want %v", err, dp.ErrBudget)
	}
	if n := a.spends(); n != 1 || written(j, 0)() {
		t.Errorf("%d spends, or parts were written; want nothing beside the first spend", n)
	}
	if err := a.Grant(t.Context(), ledger.Grant{Subject: "u3", Epsilon: 10, Who: "carol", Reason: "enough for all"}); err != nil {
		t.Fatal(err)
	}
	set, err := pipeline.Run(t.Context(), j, "prism")
	if err != nil || set.Released != 60 || set.Paid.Users != 10 {
		t.Errorf("when all can pay: %+v, %v; want 60 releases of ten users", set, err)
	}
}

// TestPaidTogether: two jobs at once, of the same users, who can pay for one of them. No
// user pays for both, and what is released is what was paid for.
func TestPaidTogether(t *testing.T) {
	const rows, each = 600, 60 * 4
	var dirs [2]string
	for i := range dirs {
		dirs[i] = folder(t, rows, func(n int) string { return fmt.Sprintf("%d-%d", i, n) })
	}
	a := newAccount(t, dirs[0], 300, 100)
	var jobs [2]*pipeline.Job
	var ends [2]<-chan error
	for i := range jobs {
		jobs[i] = a.job(dirs[i], "out", pipeline.LeaveOut)
		_, ends[i] = start(t, jobs[i])
	}
	for i, end := range ends {
		if err := <-end; err != nil {
			t.Fatalf("job %d: %v", i, err)
		}
	}
	before := a.spends()
	released, left, users := int64(0), int64(0), int64(0)
	for _, j := range jobs { // again, for free, to read what was done
		set, err := pipeline.Run(t.Context(), j, "prism")
		if err != nil {
			t.Fatal(err)
		}
		released, left, users = released+set.Released, left+set.LeftOut, users+set.Paid.Users
	}
	if released != rows*9/10 || left != 2*rows-released || users != 9 {
		t.Errorf("two jobs released %d rows of %d users and left out %d; want %d of 9", released, users, left, rows*9/10)
	}
	if a.spends() != before {
		t.Errorf("running again took %d spends to %d", before, a.spends())
	}
	a.check(each)
}
