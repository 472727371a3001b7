package measure

// What the tests of this package look at.
var Binomial = binomial
