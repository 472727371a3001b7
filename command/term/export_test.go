package term

// Exported for tests.
var ProgressLine = progressLine

// Draw draws the line now.
func (p *Progress) Draw() { p.draw(p.begun) }

// Still returns progress that no clock draws.
func Still(s *Screen, what string) *Progress { return &Progress{screen: s, what: what, end: s.Clear} }
