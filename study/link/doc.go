// Package link decides which records or mentions are one and the same person or
// thing. Each is a node of a graph, each scored pair an edge, and the nodes are
// divided into clusters so that the weights inside of clusters have the least sum:
// a weight below zero attracts, as 1 − 2p does for a pair that is the same with a
// probability p above one half.
//
// The division is exact where it can be. [Solve] returns the best division found,
// a bound that no division passes below, and so a proven gap, which is zero more
// often than not. It is no scorer of pairs: the weights are given.
//
//	g := link.Graph{Nodes: 3, Edges: []link.Edge{{0, 1, -0.8}, {1, 2, -0.4}, {0, 2, 0.6}}}
//	s, err := link.Solve(ctx, g, link.Options{}) // {0, 1} and {2}: −0.8
package link
