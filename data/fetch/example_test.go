package fetch_test

import (
	"context"
	"fmt"
	"time"

	"sotto/data/fetch"
)

// A built-in set needs no file, and nothing is asked of a network.
func ExampleGet() {
	got, err := fetch.Get(context.Background(), "reviews", fetch.Options{Timeout: time.Second})
	fmt.Println(got.Name, len(got.Files), err)
	_, err = fetch.Get(context.Background(), "reviews", fetch.Options{})
	fmt.Println(err)
	// Output:
	// reviews 0 <nil>
	// fetch: timeout is 0s, must be positive
}
