package link_test

import (
	"errors"
	"fmt"
	"testing"

	"sotto/study/link"
	command "sotto/study/link/command"
)

// paper is the example of the paper: 7, 12 and 20 are one, and 25 nearly is.
func paper() command.Subject {
	edges := []link.Edge{
		{I: 0, J: 1, Weight: -.456},
		{I: 0, J: 2, Weight: -.999},
		{I: 1, J: 2, Weight: -.085},
		{I: 0, J: 3, Weight: .076},
		{I: 1, J: 3, Weight: .156},
		{I: 2, J: 3, Weight: .253},
	}
	return command.Subject{
		Names:   []string{"7", "12", "20", "25"},
		Graph:   link.Graph{Nodes: 4, Edges: edges},
		Columns: []string{"name"}, Fields: [][]string{{"a"}, {"b"}, {"c"}, {"d"}},
		Reasons: func(i, j int) []command.Reason {
			return []command.Reason{{Name: fmt.Sprint("name of ", i, j), Weight: 1}}
		},
	}
}

func desk(t *testing.T) *command.Desk {
	t.Helper()
	d, err := command.NewDesk(t.Context(), paper(), link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestView(t *testing.T) {
	v := desk(t).View(command.Page{})
	if v.Clusters != 2 || v.Alone != 1 || !v.Optimal || v.Objective != -1.54 || v.Of != [2]int{1, 4} {
		t.Fatalf("view is %+v", v)
	}
	w := v.Weak[0].Weakest
	if w.I != 1 || w.J != 2 || *w.Weight != -.085 || *w.Same != .5425 || w.Reasons[0].Name != "name of 1 2" {
		t.Errorf("the weakest pair is %+v", w)
	}
	m := v.Misses[0]
	if m.Node.Name != "25" || m.Node.Fields[0] != "d" || len(m.Terms) != 3 || fmt.Sprintf("%.3f", m.Total) != "0.485" || m.Nearest.I != 0 || m.Nearest.J != 3 {
		t.Errorf("the nearest miss is %+v", m)
	}
	if v = desk(t).View(command.Page{Misses: 2}); len(v.Misses) != 2 {
		t.Errorf("%d misses are shown, want 2", len(v.Misses))
	}
}

func TestDecide(t *testing.T) {
	d := desk(t)
	say := func(i, j int, say command.Say) command.View {
		t.Helper()
		if err := d.Decide(t.Context(), command.Decision{I: i, J: j, Say: say}); err != nil {
			t.Fatal(err)
		}
		return d.View(command.Page{})
	}
	// What is confirmed is not asked again.
	if w := say(2, 1, command.Same).Weak[0].Weakest; w == nil || w.I != 0 || w.J != 1 {
		t.Errorf("after 12 and 20 the weakest is %+v, want 7 and 12", w)
	}
	if v := say(0, 1, command.Same); v.Weak[0].Weakest != nil || len(v.Decisions) != 2 || v.Decisions[0].First.Name != "12" {
		t.Errorf("all is decided, and it shows %+v", v)
	}
	// What contradicts is refused, and nothing changes.
	if err := d.Decide(t.Context(), command.Decision{I: 0, J: 2, Say: command.Apart}); !errors.Is(err, command.ErrContradiction) || len(d.Decisions()) != 2 {
		t.Errorf("a contradiction gives %v with %d decisions", err, len(d.Decisions()))
	}
	if v := say(2, 3, command.Same); v.Clusters != 1 {
		t.Errorf("all are to be one, and are %d", v.Clusters)
	}
	// The last word on a pair counts.
	if v := say(2, 3, command.Apart); v.Clusters != 2 || len(v.Decisions) != 3 || len(v.Misses) != 0 {
		t.Errorf("25 is apart: %+v", v)
	}
	if v := say(2, 3, command.Nothing); len(v.Decisions) != 2 || len(v.Misses) == 0 {
		t.Errorf("the decision was taken back, and there are %d", len(v.Decisions))
	}
	for _, bad := range []command.Decision{{I: 0, J: 0, Say: command.Same}, {I: -1, J: 2, Say: command.Same}, {I: 0, J: 9, Say: command.Same}, {I: 0, J: 1, Say: "perhaps"}} {
		if err := d.Decide(t.Context(), bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	if labels := d.Labels(); labels[0] != labels[2] || labels[0] == labels[3] {
		t.Errorf("labels are %v", labels)
	}
}

func TestNewRefuses(t *testing.T) {
	s := paper()
	s.Names = s.Names[:2]
	if _, err := command.NewDesk(t.Context(), s, link.Options{}); err == nil {
		t.Error("names of two nodes of four were accepted")
	}
}
