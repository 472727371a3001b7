package report_test

import (
	"strings"
	"testing"

	"sotto/evidence"
	"sotto/promise/dp"
	"sotto/report"
	"sotto/text/encode/cells"
)

// TestKind: what was made is shown with its distortion and the promise to who wrote
// private texts, a policy can bound both, and a head of nothing is refused.
func TestKind(t *testing.T) {
	h := &cells.Head{
		Format: cells.Format, Encoder: "default", EncoderSHA256: "12", Dim: 2, Texts: 500,
		Sets: []cells.Made{{Epsilon: 4, Cells: 11, Chosen: cells.Trial{Cells: 11, Distortion: 0.916, Kept: 0.845}, Channel: &cells.Channel{Texts: 100, Distortion: 0.92, Bound: 0.91}}},
	}
	kinds := evidence.Kinds{report.CellsKind}
	e, err := kinds.New(h)
	if err != nil {
		t.Fatal(err)
	}
	if said := report.CellsKind.Section(e); len(said) != 1 || !strings.Contains(said[0].Meaning, "Cells are public") {
		t.Errorf("sections are %+v, want one that says that cells are public", said)
	}
	if said, _ := report.CellsKind.Summary(e); !strings.Contains(said, "11 public cells at ε = 4 leaves 91.6 %") {
		t.Errorf("the summary is %q", said)
	}
	h.Private = &cells.Private{Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 2}}
	s := report.CellsKind.Subjects(h)
	if len(s) != 1 || s[0].Numbers["distortion"].Value != 0.916 || s[0].Promise == nil || *s[0].Promise.Proved != 2 {
		t.Errorf("subjects are %+v, want the distortion and the promise", s)
	}
	if err := report.CellsKind.Check(&cells.Head{}); err == nil {
		t.Error("a head without a set is taken")
	}
}
