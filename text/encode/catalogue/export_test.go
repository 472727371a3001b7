package catalogue

// What Get and Verify do for an encoder whose files are known, under names that
// tests can use.
var (
	GetInfo   = Info.get
	CheckInfo = Info.check
)
