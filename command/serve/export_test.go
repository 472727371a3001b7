package serve

// What the tests look at inside.
var (
	NewBudget  = newBudget
	NewGateway = newGateway
	NewServe   = newServe
)
