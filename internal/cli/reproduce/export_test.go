package reproduce

// What the tests look at inside.
var FrontierPage = frontierPage
var NewReproduce = newReproduce
