package gateway

// AppendPrivacy appends what is promised of a release, as answers have it.
func (g *Gateway) AppendPrivacy(b []byte, p *Privacy) []byte { return g.frame.append(b, p) }

// AppendVector appends a vector, as answers have it.
func AppendVector(b []byte, v []float32, inBase64 bool) []byte { return appendVector(b, v, inBase64) }
