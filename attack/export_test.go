package attack

// What the tests of this package look at.
var Halves = halves
