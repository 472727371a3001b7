package sotto_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"sotto"
	"sotto/data/dataset"
)

// A model that tells the topic of a message, learnt from a table of invented ones. A
// receiver decodes what is released.
func ExampleTrain() {
	dir, err := os.MkdirTemp("", "sotto")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	table := filepath.Join(dir, "messages.csv")
	if err = os.WriteFile(table, []byte(dataset.SampleMessages()), 0o600); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	m, err := sotto.Train(ctx, table, sotto.Training{
		Text: "message", Label: "topic", Method: "label", Epsilon: 4, Out: filepath.Join(dir, "model"),
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Release(ctx, "Good evening, where is the parcel that I paid for a week ago?")
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Decode(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a code of %s, one of %d classes, with %v\n", labels[0].Name, len(labels[0].Probabilities), r.Guarantee)
	// Output:
	// a code of topic, one of 5 classes, with ε = 4 (text-level)
}
