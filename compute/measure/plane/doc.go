// Package plane lays vectors out in the plane for people to see: by their two
// directions of largest variance ([PCA]), or so that near ones stay near
// ([TSNE]).
//
// It is for pictures, not for measuring: distances between far clusters, their
// sizes and their shapes mean nothing in a layout by t-SNE. Nor does it
// protect anything: a spot is computed from the vectors of all rows, and is as
// private as they are. The smallest use is
//
//	spots, err := plane.TSNE(ctx, nn.NewPool(2), x, plane.Options{Seed: 1})
package plane
