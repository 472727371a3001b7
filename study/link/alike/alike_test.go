package alike_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/study/link/alike"
)

// The published examples of Winkler.
func TestJaroWinkler(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
	}{{"martha", "marhta", .9611}, {"dwayne", "duane", .84}, {"dixon", "dicksonx", .8133}, {"abc", "xyz", 0}, {"", "a", 0}, {"a", "a", 1}} {
		if got := alike.JaroWinkler(tt.a, tt.b); math.Abs(got-tt.want) > 5e-5 || got != alike.JaroWinkler(tt.b, tt.a) {
			t.Errorf("JaroWinkler(%q, %q) = %v, want %v both ways", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNicknames(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"bill", "william", true}, {"will", "bill", true}, {"ted", "edward", true}, {"ted", "theodore", true}, {"bill", "robert", false}, {"ann", "ann", false}, {"", "", false}, {"xyz", "william", false}} {
		if alike.Nicknames(tt.a, tt.b) != tt.want || alike.Nicknames(tt.b, tt.a) != tt.want {
			t.Errorf("Nicknames(%q, %q) is not %t both ways", tt.a, tt.b, tt.want)
		}
	}
	if got := fmt.Sprint(alike.Forms("ted"), alike.Forms("zoe"), alike.Forms("robert")); got != "[edward theodore] [zoe] [robert]" {
		t.Errorf("forms are %s", got)
	}
	if !alike.Abbreviates("j.", "john") || !alike.Abbreviates("é", "élise") || alike.Abbreviates("jo", "john") || alike.Abbreviates("j", "ann") {
		t.Error("initials are not what they should be")
	}
}

func Example() {
	fmt.Printf("%.3f %t\n", alike.JaroWinkler("martha", "marhta"), alike.Nicknames("bill", "william"))
	// Output: 0.961 true
}
