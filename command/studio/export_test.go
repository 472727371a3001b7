package studio

// PrivateDir is the folder of what was dropped.
func (s *Studio) PrivateDir() string { return s.dir }

// Plain is an error in words for the page.
var Plain = plain

// MostConnections is how many there may be at a time.
const MostConnections = mostConnections
