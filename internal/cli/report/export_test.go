package report

// What the tests look at inside.
type GateOptions = gateOptions

var NewGate = newGate
var RunGate = runGate
