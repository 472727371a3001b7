package serve

// What the tests look at inside.
var NewBudget = newBudget
var NewGateway = newGateway
var NewServe = newServe
