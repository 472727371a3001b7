package dp

// Verdict says what became of a claim, judged in the claimant's own unit, domain
// and δ.
type Verdict string

// The verdicts.
const (
	ClaimTrue        Verdict = "true"        // proved
	ClaimFalse       Verdict = "false"       // a witness inside the claimed domain shows it
	ClaimNotProved   Verdict = "not proved"  // the published argument does not carry it, and no such witness is known
	ClaimConditional Verdict = "conditional" // true under an assumption, which is stated
)

// Claim is what a publication says of a mechanism, beside its ε.
type Claim struct {
	Unit  Unit    // of the claimed ε; "" means the guarantee's
	Delta float64 // that goes with it; 0 means the guarantee's
	Place string  // where it stands
	// Verdict is "" where the numbers decide: the claim is true if what is proved
	// is not above it, and false otherwise.
	Verdict   Verdict
	Condition string // under which it is true, or what is missing for a proof
}
