package ledger_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sotto/promise/dp"
	"sotto/service/ledger"
)

func Example() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	book, err := ledger.OpenFile(filepath.Join(dir, "ledger.db"), ledger.Options{
		Budget: ledger.Budget{Unit: dp.Text, Epsilon: 10, Window: 24 * time.Hour},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer book.Close()
	for _, text := range []string{"first", "first", "second"} {
		receipts, err := book.Spend(context.Background(), ledger.Request{
			Subject:   "alice",
			Key:       sha256.Sum256([]byte(text)), // a gateway takes a MAC with its secret
			Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 6},
			Mechanism: map[string]any{"mechanism": "laplace-l1", "epsilon": 6},
		})
		var over *ledger.OverBudget
		if errors.As(err, &over) {
			fmt.Println("refused: asked for", over.Asked, "and left is", over.Left)
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("paid by entry", receipts[0].Seq, "before:", receipts[0].Repeated, "left:", receipts[0].Balance.Left)
	}
	// Output:
	// paid by entry 2 before: false left: ε = 4
	// paid by entry 2 before: true left: ε = 4
	// refused: asked for ε = 6 and left is ε = 4
}
