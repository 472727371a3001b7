package report

// What the tests look at inside.
type GateOptions = gateOptions

var (
	NewGate = newGate
	RunGate = runGate
)
