package dataset_test

import (
	"context"
	"fmt"
	"time"

	"sotto/data/dataset"
)

// A built-in set needs no file, and nothing is asked of a network.
func ExampleFetch() {
	got, err := dataset.Fetch(context.Background(), "reviews", dataset.FetchOptions{Timeout: time.Second})
	fmt.Println(got.Name, len(got.Files), err)
	_, err = dataset.Fetch(context.Background(), "reviews", dataset.FetchOptions{})
	fmt.Println(err)
	// Output:
	// reviews 0 <nil>
	// fetch: timeout is 0s, must be positive
}
