// Package prepared makes numbers of what is learnt from: it loads a data set or a
// file of one's own, encodes its texts, and takes its parts, as the record of a
// model names them.
//
// It trains nothing and measures nothing. The smallest use is
//
//	set, err := prepared.Make(ctx, model.DataRecord{Name: "reviews"}, "", 2)
//	fmt.Println(set.X.Rows, len(set.Train), len(set.Test))
package prepared
