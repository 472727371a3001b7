// Package dptest tests mechanisms. [Vector] is what every [dp.Vector] must
// pass, built-in or foreign; [Source] is a source of randomness that can be
// repeated, which only a test can have.
//
//	func TestMine(t *testing.T) {
//		dptest.Vector(t, mine.New(8), dptest.Options{})
//	}
//
// It checks what a mechanism says of itself against what it does. It does not
// estimate a privacy loss from samples: package audit does.
package dptest
