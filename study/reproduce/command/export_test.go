package reproduce

// What the tests look at inside.
var NewReproduce = newReproduce
