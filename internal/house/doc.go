// Package house holds the rules of this repository that a compiler does not
// check, as tests: which package may import which, what must be documented,
// how long a file may be, which proof belongs to which code.
//
// It has no code of its own and nothing imports it. Each rule is a function
// over a tree of files. It is applied to the repository, and to small trees
// that break it, to show that it can fail.
package house
