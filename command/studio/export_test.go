package studio

// PrivateDir is the folder of what was dropped.
func (s *Studio) PrivateDir() string { return s.dir }

// MostConnections is how many there may be at a time.
const MostConnections = mostConnections
