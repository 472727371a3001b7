package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"sotto/batch/pipeline"
	"sotto/batch/shard"
	"sotto/promise/dp"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/service/ledger/disk/disktest"
)

// TestCrash: a job pays from a ledger on a disk that forgets what was not synced, and is
// stopped at each operation of the disk, killed or without power. Whoever runs it again
// gets the answer of a job that nobody disturbed, and everybody has paid once.
func TestCrash(t *testing.T) {
	pipeline.Fewer(t, 2, 4) // users in a shard, and in a call
	dir := folder(t, 30, unique)
	secret, _, err := gateway.LoadSecret(filepath.Join(dir, "secret"), false)
	if err != nil {
		t.Fatal(err)
	}
	open := func(ctx context.Context, d *disktest.Disk) (*ledger.Divided, error) {
		return ledger.OpenAny(ctx, "/ledger", ledger.Options{
			Budget: ledger.Budget{Unit: dp.Text, Epsilon: 30}, SecretID: secret.ID(), ChainKey: secret.ChainKey(), Disk: d, Clock: time.Now,
		})
	}
	spends := map[string]shard.Spend{}
	for i := range 7 {
		spends[fmt.Sprint("u", i)] = shard.Spend{Releases: int64(3 + 2*(i%4)), Check: [32]byte{byte(i + 1)}} // of which ε = 4 each nine are too many
	}
	for _, exhausted := range []string{pipeline.LeaveOut, pipeline.Refuse} {
		j := job(dir, "out")
		j.User, j.Ledger, j.OnExhausted = "user", "/ledger", exhausted
		w, err := j.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		j.Name, j.Known = "reviews", &shard.Known{Scheme: shard.Scheme, Does: "this", Files: "those"}
		if exhausted == pipeline.Refuse {
			delete(spends, "u3") // who cannot
		}
		synctest.Test(t, func(t *testing.T) {
			stopJob(t, open, func(ctx context.Context, book *ledger.Divided) (paid, error) {
				broke, sums, err := pipeline.Reserve(ctx, j, w, book, spends)
				return paid{broke, sums}, err
			})
		})
	}
}

// paid is the answer to a job.
type paid struct {
	broke []string
	sums  shard.Paid
}

// stopJob lets a job pay, and stops it at each operation of the disk.
func stopJob(t *testing.T, open func(context.Context, *disktest.Disk) (*ledger.Divided, error), pay func(context.Context, *ledger.Divided) (paid, error)) {
	t.Helper()
	d := disktest.New(disktest.Source(1))
	book, err := open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	var states []*disktest.Disk
	d.Watch = func(disktest.Op) { states = append(states, d.Copy()) }
	want, err := pay(t.Context(), book)
	if err != nil {
		t.Fatal(err)
	}
	states = append(states, d.Copy())
	proof := proved(t, book)
	d.Watch = nil
	book.Close()
	before, after := 0, 0
	for i, s := range states {
		for cut := range 2 {
			again := s.Copy()
			if cut == 1 {
				again.PowerCut()
			}
			book, err := open(t.Context(), again)
			if err != nil {
				t.Fatalf("stopped at operation %d of %d: %v", i, len(states), err)
			}
			switch n := proved(t, book).Spends; {
			case n == 0:
				before++
			case n < proof.Spends:
				after++
			}
			got, err := pay(t.Context(), book)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("stopped at operation %d of %d, and run again: %+v, %v; want %+v", i, len(states), got, err, want)
			}
			if p := proved(t, book); p.Spends != proof.Spends || p.Subjects != proof.Subjects {
				t.Errorf("stopped at operation %d of %d, and run again: %+v, want %+v", i, len(states), p, proof)
			}
			if err = book.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if before == 0 || after == 0 {
		t.Errorf("of %d, %d had paid nothing and %d a part: nothing was tested", len(states), before, after)
	}
	t.Logf("stopped %d times; the job had paid nothing %d times, and a part of it %d times", 2*len(states), before, after)
}

func proved(t *testing.T, book *ledger.Divided) ledger.Proof {
	t.Helper()
	proofs, err := book.Verify(t.Context())
	if err != nil {
		t.Fatal(errors.Join(errors.New("it does not verify"), err))
	}
	return ledger.ProofOfParts(proofs)
}
