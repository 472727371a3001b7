package parse

// What tests of the inner parts need.
var (
	Maximum = maximum
	Script  = script
	Apply   = apply
)
