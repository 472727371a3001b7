package vectors

// What the tests look at inside.
type (
	EncodeSummary = encodeSummary
	EncoderList   = encoderList
)
