package link

// Assign is what tests look at.
var Assign = assign
