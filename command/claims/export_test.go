package claims

// What the tests look at inside.
var RunTable = runTable
