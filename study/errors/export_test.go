package errors

// What tests look at.
var (
	Precision = precision
	Compare   = compare
	Between   = between
)
