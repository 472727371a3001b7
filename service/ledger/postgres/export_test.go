package postgres

// WaitsFor is for tests.
var WaitsFor = waitsFor
