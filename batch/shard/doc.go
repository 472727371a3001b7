// Package shard releases the rows of many files piece by piece, so that any number of
// machines can do it side by side, in any order, and more than once.
//
// [Plan] cuts files into chunks. [Worker.Scan] looks at the rows of a chunk before
// anything is released: whose they are, and by which ids. [Worker.Release] reads,
// masks, encodes and releases the rows of a chunk and writes them as one part, and
// [Finish] writes the record of the whole set. Noise is keyed by what a row is, so that
// a chunk that is released twice is the same bytes twice (see [Key], key.md).
//
// The code that makes vectors and noise is that of "sotto encode" and "sotto privatize".
// The package knows no engine: package pipeline runs it on Apache Beam. It is not for
// releases one at a time, which are a gateway's.
package shard
