package relation

// Pieces takes a rule apart.
var Pieces = pieces
