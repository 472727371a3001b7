package ledger

// WaitsFor is for tests.
var WaitsFor = waitsFor
