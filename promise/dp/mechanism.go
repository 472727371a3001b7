package dp

import "math/rand/v2"

// Mechanism is a randomised release. Implementations are immutable and safe
// for concurrent use, each call with its own source.
type Mechanism[In, Out any] interface {
	// Privatize returns one release of x, drawing randomness only from src.
	// It neither modifies nor retains x. Outside the domain it returns an
	// error wrapping [ErrDomain] that does not quote x, never a partial
	// release. The guarantee holds between inputs of the domain: that an
	// input was refused is visible, and not covered by it.
	Privatize(x In, src rand.Source) (Out, error)

	// Guarantee reports what one call to Privatize promises.
	Guarantee() Guarantee
}

// Vector is a [Mechanism] on vectors that can release without allocating.
type Vector interface {
	Mechanism[[]float64, []float64]

	// Shape returns the number of coordinates of an input and of a release.
	Shape() (in, out int)

	// PrivatizeTo writes one release of x to dst. It panics if the lengths
	// are not those of Shape. On error dst holds zeros. dst and x may be the
	// same slice where Shape's numbers are equal.
	PrivatizeTo(dst, x []float64, src rand.Source) error
}

// Distinguisher is implemented by mechanisms whose likelihood can be written
// down. It is the strongest test between two inputs there is.
type Distinguisher interface {
	// LogRatio returns ln P(y|x)/P(y|x2) for a release y, infinite where only
	// one of the two inputs can have produced it. A y that neither can have
	// produced, or an input outside the domain, is an error.
	LogRatio(y, x, x2 []float64) (float64, error)
}

// Witness shows that a guarantee cannot be smaller: two neighbouring inputs
// and an event whose probabilities differ by as much.
type Witness struct {
	X, X2 []float64 // the neighbours; nil where a description says enough
	Event string    // in words, for a reader
	// Y is one release inside the event, at which a [Distinguisher] attains
	// the ratio; nil where no single release does.
	Y []float64
	// LogP and LogQ are ln P(event|X) and ln P(event|X2); where the event is a
	// point of a continuous law, log densities up to a common constant.
	LogP, LogQ float64
}

// Profile is what a mechanism says of itself beside its guarantee.
type Profile struct {
	Mechanism string
	Variant   string
	// Claimed is the ε that the publication, or the user's flag, puts on it.
	Claimed Epsilon
	Claim   Claim // where that stands, and how it is to be judged
	// Reason says in one sentence why the true ε is what it is.
	Reason  string
	Witness Witness
	// Independent says that the coordinates of a release are independent of
	// each other given the input.
	Independent bool
	// Facts are further numbers worth printing, in order.
	Facts []Fact
}

// Fact is a named number of a [Profile].
type Fact struct {
	Name  string
	Value float64
}

// Profiled is implemented by every built-in mechanism.
type Profiled interface {
	Profile() Profile
}
