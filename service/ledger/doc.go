// Package ledger keeps privacy budgets: who has spent how much ε on what, in
// which window of time, in a log whose entries are chained by their hashes.
//
// A spend is on disk before [Ledger.Spend] returns, so that noise drawn after it
// is always paid for, and a crash in between means spent. What was paid for
// once, named by its key, costs nothing when it is asked for again. Nothing here
// holds a text or a vector: keys are digests that the caller makes with a secret.
//
// The package draws no noise and knows no mechanism. Whoever can write the ledger
// can make the whole chain anew, and is found out by a hash that was noted
// elsewhere, or by the MAC of its end if there is a key (see [Ledger.Verify] and
// [Options]). The smallest use is
//
//	book, err := ledger.Open(ctx, "ledger.db", ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: 10, Window: 24 * time.Hour}})
//	receipts, err := book.Spend(ctx, ledger.Request{Subject: "alice", Key: key, Guarantee: m.Guarantee(), Mechanism: m.Params()})
//	// only now: m.PrivatizeTo(…)
package ledger
