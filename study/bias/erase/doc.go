// Package erase removes a concept, such as gender, from vectors, and says what
// is left of it: hard debiasing on a direction ([NewHard]), iterative null-space
// projection ([INLP]) and least-squares concept erasure ([LEACE]), each of which
// makes an [Eraser], and [Probes] that read the concept before and after, a
// linear one and one with hidden units.
//
// No eraser is a privacy guarantee. What it removes, it removes from one kind of
// reader, the linear one, on vectors like those that it was fitted to; a reader
// with hidden units mostly finds the concept again. Only a mechanism of package
// mech promises anything. The smallest use is
//
//	m, err := erase.NewMoments(300, 1)
//	if err != nil {
//		return err
//	}
//	for i := range rows {
//		if err = m.Add(rows[i], z[i:i+1]); err != nil {
//			return err
//		}
//	}
//	e, err := erase.LEACE{}.Fit(m)
//	if err != nil {
//		return err
//	}
//	e.Apply(pool, rows[0])
package erase
