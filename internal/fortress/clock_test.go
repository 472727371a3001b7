//go:build linux

package fortress_test

var clocks = []attack{}
