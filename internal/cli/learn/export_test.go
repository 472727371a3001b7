package learn

// What the tests look at inside.
const DemoReport = demoReport

var DemoEpsilons = demoEpsilons
var Selected = selected
