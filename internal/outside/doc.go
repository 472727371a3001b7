// Package outside shows, in its tests, that a mechanism which registers from
// outside of package mech trains, releases, is audited, served, reported and
// gated without an edit anywhere else.
package outside
