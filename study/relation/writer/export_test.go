package writer

// Pieces takes a rule apart.
var Pieces = pieces
