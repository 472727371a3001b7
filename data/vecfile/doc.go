// Package vecfile reads and writes files of vectors, one vector a row, in
// constant memory: JSON lines, CSV, NPY and Parquet.
//
// A [Reader] yields finite numbers of one width or an error that says where
// the fault is, and a [Writer] writes nothing that a Reader would refuse. No
// error quotes what a file holds, because that is private. Whatever is not
// part of a vector (other keys, other columns, names in a header) is left
// behind and never reaches the output.
//
// A line of JSON is an array of numbers, or an object that holds one under
// exactly one of the keys x, vector, embedding and y. A line of CSV is numbers
// between commas; the first is taken for a header if none of its fields is
// empty or a number. An NPY array has one or two dimensions and floats of 16,
// 32 or 64 bits. A Parquet file has a column of lists of floats or, if there
// is none, its columns of floats are the coordinates; then one page of each
// is in memory at a time.
//
// It is not a general reader of these formats, and it holds no mechanism. The
// smallest use is
//
//	r, err := vecfile.Open("in.npy", vecfile.Options{})
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	block := make([]float64, 64*r.Width())
//	for {
//		n, err := r.ReadRows(block)
//		if errors.Is(err, io.EOF) {
//			break
//		}
//		if err != nil {
//			return err
//		}
//		use(block[:n*r.Width()])
//	}
package vecfile
