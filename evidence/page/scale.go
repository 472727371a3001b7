package page

import (
	"math"
	"slices"
	"strconv"
)

// sideColumn is how much room zero and infinity take on a logarithmic axis.
const sideColumn = 52

// scale maps values to places on the page.
type scale struct {
	Axis
	from, to  float64 // places of Low and High
	zero, inf float64 // places of what a logarithmic axis cannot hold
}

// place returns where v stands, within the axis.
func (s *scale) place(v float64) float64 {
	share := (v - s.Low) / (s.High - s.Low)
	if s.Log {
		switch {
		case v <= 0:
			return s.zero
		case math.IsInf(v, 1):
			return s.inf
		}
		share = math.Log(v/s.Low) / math.Log(s.High/s.Low)
	}
	return s.from + (s.to-s.from)*min(1, max(0, share))
}

// holding returns the axis with its ends, around values if it has none.
func (a Axis) holding(values []float64) Axis {
	switch {
	case a.Low != a.High:
	case a.Log:
		a.Low, a.High = ends(slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v <= 0 }))
		if a.Low > a.High {
			a.Low, a.High = 1, 1
		}
		a.Low, a.High = a.Low/1.25, a.High*1.25
	case a.Percent:
		a.Low, a.High = Around(values, 0, 1)
	default:
		a.Low, a.High = Around(values, -math.MaxFloat64, math.MaxFloat64)
		if math.IsInf(a.High-a.Low, 1) { // of no values
			a.Low, a.High = 0, 1
		}
	}
	return a
}

// tick is a mark of an axis.
type tick struct {
	value float64
	text  string
}

// ticks returns about n marks at round numbers.
func (a Axis) ticks(n int) []tick {
	if a.Log {
		return a.logTicks(n)
	}
	step := roundStep((a.High - a.Low) / float64(n))
	if !(step > 0) {
		return nil
	}
	var list []tick
	for k := math.Ceil(a.Low/step - 1e-9); k*step <= a.High+step*1e-9 && len(list) < 50; k++ {
		list = append(list, tick{k * step, a.text(k*step, step)})
	}
	return list
}

// text renders the number of a tick.
func (a Axis) text(v, step float64) string {
	if a.Percent {
		v, step = 100*v, 100*step
	}
	if math.Abs(v) < step/2 {
		v = 0 // and never −0
	}
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	text := Decimal(v, decimals)
	if a.Percent {
		text += " %"
	}
	return text
}

// roundStep returns the smallest of 1, 2, 5, 10, … not below v.
func roundStep(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// logTicks returns powers of ten, and 2 and 5 times them where there is room.
func (a Axis) logTicks(n int) []tick {
	if !(a.Low > 0) || !(a.High > a.Low) || math.IsInf(a.High, 1) {
		return nil
	}
	first, last := int(math.Floor(math.Log10(a.Low))), int(math.Ceil(math.Log10(a.High)))
	factors, stride := []float64{1, 2, 5}, 1
	switch decades := math.Log10(a.High / a.Low); {
	case 3*decades <= float64(n):
	case 2*decades <= float64(n):
		factors = []float64{1, 3}
	default:
		factors, stride = []float64{1}, max(1, int(math.Ceil(decades/float64(n))))
	}
	var list []tick
	for p := first; p <= last; p += stride {
		for _, m := range factors {
			if v := m * math.Pow(10, float64(p)); v >= a.Low*(1-1e-9) && v <= a.High*(1+1e-9) {
				list = append(list, tick{v, countText(v)})
			}
		}
	}
	return list
}

// countText renders the number of a logarithmic tick shortly.
func countText(v float64) string {
	switch {
	case v >= 1e6 || v < 1e-3:
		return strconv.FormatFloat(v, 'g', 1, 64)
	case v >= 1e4:
		return strconv.FormatFloat(v/1e3, 'g', -1, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// ends returns the least and the greatest of the finite values, the greater
// first if there are none.
func ends(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// Around returns a range that holds all finite values, with round ends and a
// little room, within the given bounds.
func Around(values []float64, lowest, highest float64) (low, high float64) {
	if low, high = ends(values); low > high {
		return lowest, highest
	}
	low, high = min(max(low, lowest), highest), min(max(high, lowest), highest)
	step := roundStep(max(high-low, 1e-3) / 8)
	low = max(lowest, (math.Floor(low/step)-0.5)*step)
	return low, max(low+step, min(highest, (math.Ceil(high/step)+0.5)*step))
}
