package xer_test

import (
	"reflect"
	"strings"
	"testing"

	"sotto/study/link"
	"sotto/study/link/xer"
)

// weight is that of a distance.
func weight(d float64) float64 { return 2*d - 1 }

func TestConnected(t *testing.T) {
	g := link.Graph{Nodes: 5, Edges: []link.Edge{{I: 0, J: 1, Weight: -.1}, {I: 1, J: 2, Weight: -.1}, {I: 0, J: 2, Weight: 1}, {I: 3, J: 4, Weight: .2}}}
	if got := xer.Connected(g); !reflect.DeepEqual(got, []int{0, 0, 0, 1, 2}) {
		t.Errorf("Connected = %v", got)
	}
}

func TestHierarchical(t *testing.T) {
	// 0 and 1 at .1; 2 at .4 and .6 from them, so .5 on average; 3 unknown to all but 2.
	// Between centres, 2 is at √((.4² + .6²)/2 − .1²/4) = .5074.
	g := link.Graph{Nodes: 4, Edges: []link.Edge{
		{I: 0, J: 1, Weight: weight(.1)},
		{I: 0, J: 2, Weight: weight(.4)},
		{I: 1, J: 2, Weight: weight(.6)},
		{I: 2, J: 3, Weight: weight(.7)},
	}}
	for _, tt := range []struct {
		by   xer.Linkage
		cut  float64
		want []int
	}{
		{xer.Average, .05, []int{0, 1, 2, 3}},
		{xer.Average, .49, []int{0, 0, 1, 2}},
		{xer.Average, .51, []int{0, 0, 0, 1}},
		{xer.Average, .89, []int{0, 0, 0, 1}},
		{xer.Average, .91, []int{0, 0, 0, 0}}, // (1 + 1 + .7)/3
		{xer.Centroid, .5, []int{0, 0, 1, 2}},
		{xer.Centroid, .51, []int{0, 0, 0, 1}},
	} {
		if got, err := xer.Hierarchical(g, tt.by, tt.cut); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Hierarchical(%s, %v) = %v, %v; want %v", tt.by, tt.cut, got, err, tt.want)
		}
	}
	if _, err := xer.Hierarchical(g, "single", .5); err == nil || !strings.Contains(err.Error(), `linkage is "single"`) {
		t.Errorf("error = %v", err)
	}
	if _, err := xer.Hierarchical(g, xer.Average, 2); err == nil || !strings.Contains(err.Error(), "cut is 2") {
		t.Errorf("error = %v", err)
	}
}
