package link_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/study/link"
)

// The published examples of Winkler.
func TestJaroWinkler(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
	}{{"martha", "marhta", .9611}, {"dwayne", "duane", .84}, {"dixon", "dicksonx", .8133}, {"abc", "xyz", 0}, {"", "a", 0}, {"a", "a", 1}} {
		if got := link.JaroWinkler(tt.a, tt.b); math.Abs(got-tt.want) > 5e-5 || got != link.JaroWinkler(tt.b, tt.a) {
			t.Errorf("JaroWinkler(%q, %q) = %v, want %v both ways", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNicknames(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"bill", "william", true}, {"will", "bill", true}, {"ted", "edward", true}, {"ted", "theodore", true}, {"bill", "robert", false}, {"ann", "ann", false}, {"", "", false}, {"xyz", "william", false}} {
		if link.Nicknames(tt.a, tt.b) != tt.want || link.Nicknames(tt.b, tt.a) != tt.want {
			t.Errorf("Nicknames(%q, %q) is not %t both ways", tt.a, tt.b, tt.want)
		}
	}
	if got := fmt.Sprint(link.NicknameForms("ted"), link.NicknameForms("zoe"), link.NicknameForms("robert")); got != "[edward theodore] [zoe] [robert]" {
		t.Errorf("forms are %s", got)
	}
	if !link.Abbreviates("j.", "john") || !link.Abbreviates("é", "élise") || link.Abbreviates("jo", "john") || link.Abbreviates("j", "ann") {
		t.Error("initials are not what they should be")
	}
}

func Example_alike() {
	fmt.Printf("%.3f %t\n", link.JaroWinkler("martha", "marhta"), link.Nicknames("bill", "william"))
	// Output: 0.961 true
}
