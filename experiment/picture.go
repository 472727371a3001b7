package experiment

// Picture shows vectors before and after their release, laid out in the plane.
// The points before release are computed from what is to be protected: a
// picture of private texts is not for publication.
type Picture struct {
	Title     string   `json:"title"`
	Layout    string   `json:"layout"` // t-sne or pca
	Attribute string   `json:"attribute"`
	Values    []string `json:"values"` // of the attribute
	Groups    []int    `json:"groups"` // of each point, an index of Values
	Before    []Spot   `json:"before"`
	After     []Spot   `json:"after"` // of the same texts
}

// Spot is a place in the plane.
type Spot [2]float32
