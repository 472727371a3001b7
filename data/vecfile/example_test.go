package vecfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"sotto/data/vecfile"
)

// Copy the vectors of a stream of objects, without the text beside them.
func Example() {
	in := strings.NewReader(`{"x": [0.5, 1], "text": "private"}
{"x": [0.25, "?"]}
{"x": [2, 3]}
`)
	r, err := vecfile.NewReader(in, vecfile.Options{Format: vecfile.JSONL, SkipBad: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	w, err := vecfile.NewWriter(os.Stdout, vecfile.CSV, vecfile.WriterOptions{Width: r.Width(), Header: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	block := make([]float64, 64*r.Width())
	for {
		n, err := r.ReadRows(block)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := w.WriteRows(block[:n*r.Width()]); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("skipped", r.Skipped(), "dropped", r.Dropped())
	// Output:
	// v0,v1
	// 0.5,1
	// 2,3
	// skipped 1 dropped [text]
}

func ExampleRowError() {
	in := strings.NewReader("0.5,1\n0.25,private\n")
	r, err := vecfile.NewReader(in, vecfile.Options{Name: "vecs.csv", Format: vecfile.CSV})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	block := make([]float64, 64*r.Width())
	for err == nil {
		_, err = r.ReadRows(block)
	}
	fmt.Println(err)
	// Output: vecs.csv:2:6: not a number
}

func ExampleByName() {
	fmt.Println(vecfile.ByName("vectors.npy"))
	// Output: npy <nil>
}
