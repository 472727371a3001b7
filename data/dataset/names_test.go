package dataset_test

import (
	"strings"
	"testing"

	"sotto/data/dataset"
)

func TestNames(t *testing.T) {
	var n dataset.Names
	for _, name := range []string{"Zoë", " zoë ", "ZOË", "Zoe\u0308", "Ｚｏë", "zo\u200bë", "Zoe", "Straße", "STRASSE", "Ann  Lee", "ann\tlee", "Zoë"} {
		n.Of(name)
	}
	// Zoë, Zoe, Straße and Ann Lee, in eleven spellings.
	if got := n.Joined(); got != 7 {
		t.Errorf("Joined() = %d, want 7", got)
	}
	if a, b := n.Of("Zoe\u0308"), n.Of("ZOË"); a != b || a == n.Of("Zoe") {
		t.Errorf("Of gave %q and %q; want one person who is not Zoe", a, b)
	}
	if got := n.Of(" \u200b\t"); got != "" {
		t.Errorf("Of(spaces) = %q, want nobody", got)
	}
	if note := n.Note("customer"); !strings.Contains(note, "customer") || !strings.Contains(note, "7 names") {
		t.Errorf("Note = %q, want the column and the number", note)
	}
	exact := dataset.Names{Exact: true}
	if exact.Of("a") == exact.Of("A") || exact.Joined() != 0 || exact.Note("x") != "" {
		t.Error("exact names were joined")
	}
}

func FuzzFoldName(f *testing.F) {
	f.Add("Zoë İ \u0345 ﬁ")
	f.Fuzz(func(t *testing.T, name string) {
		if once := dataset.FoldName(name); dataset.FoldName(once) != once {
			t.Errorf("FoldName(%q) = %q, which folds again", name, once)
		}
	})
}
