package records

// Hold makes spools keep so many entries in memory, until it is undone; 0 changes
// nothing.
func Hold(n int) (undo func()) {
	before := held
	if n > 0 {
		held = n
	}
	return func() { held = before }
}
