package estimate

import (
	"fmt"
	"math"

	"sotto/compute/measure"
)

// Precision is what is wanted of the interval of a share.
type Precision struct {
	Half       float64 `json:"half_width"` // of the interval, at most; in shares
	Confidence float64 `json:"confidence"`
	// Share is the share at which it is wanted. A negative one means the share at
	// which intervals are widest.
	Share float64 `json:"share"`
}

// maxReleases bounds what Size looks for, so that counts and exact intervals stay exact.
const maxReleases = 1 << 30

// Size returns how many releases give the interval of answer a the wanted
// precision, if its share of the releases is what is expected, and the share at
// which that was computed.
//
// The normal approximation z²·f(1−f)/(half·Rise)² is where the search begins; the
// exact interval at the expected count decides, so that small numbers are right.
func (t *Tally) Size(a int, want Precision) (n int, share float64, err error) {
	switch {
	case checkConfidence(want.Confidence) != nil:
		return 0, 0, checkConfidence(want.Confidence)
	case a < 0 || a >= len(t.counts):
		return 0, 0, fmt.Errorf("estimate: answer is %d, must be from 0 to %d", a, len(t.counts)-1)
	case !(want.Half > 0 && want.Half < 0.5):
		return 0, 0, fmt.Errorf("estimate: half width is %v, must be above 0 and below 0.5", want.Half)
	case !(want.Share <= 1):
		return 0, 0, fmt.Errorf("estimate: share is %v, must be at most 1, or negative for the worst", want.Share)
	}
	share = want.Share
	if share < 0 { // f(1−f) is largest where f is nearest to one half
		share = min(max((0.5-t.law.Least[a])/t.law.Rise, 0), 1)
	}
	f := t.law.Least[a] + float64(t.law.Rise*share)
	z := math.Sqrt2 * math.Erfinv(want.Confidence)
	wide := want.Half * t.law.Rise
	about := z * z * f * (1 - f) / (wide * wide)
	if !(about < maxReleases) {
		return 0, 0, fmt.Errorf("%w: about %.3g releases are needed, more than %d; take a larger ε, fewer answers or a wider interval", ErrNothing, about, maxReleases)
	}
	enough := func(n int) bool {
		low, high := measure.ClopperPearson(int(math.Round(f*float64(n))), n, want.Confidence)
		return (high-low)/2/t.law.Rise <= want.Half
	}
	low, high := 0, max(1, int(about))
	for !enough(high) {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, share, nil
}
