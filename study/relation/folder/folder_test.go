package folder_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/study/language/mask"
	"sotto/study/relation"
	"sotto/study/relation/folder"
	"sotto/study/relation/folder/tiny"
	"sotto/text"
)

// TestFolder trains a model, opens it, and has it find, explain and mask what it tells.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	if err := tiny.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	m, err := folder.Open(dir)
	if err != nil || !folder.Is(dir) {
		t.Fatal(err)
	}
	f, err := relation.NewFinder(m)
	if err != nil {
		t.Fatal(err)
	}
	const s = "It rained. Mary Jones works for Google."
	told, err := f.Explain(t.Context(), s)
	if err != nil || len(told) != 1 {
		t.Fatalf("told %+v, %v", told, err)
	}
	if r := told[0]; r.Type != "Work_For" || r.Source != relation.Decoded || r.Matched == nil || r.Matched.Text != "Mary Jones works for Google" || s[r.Matched.Start:r.Matched.End] != r.Matched.Text {
		t.Errorf("told %+v, matched %+v", r, r.Matched)
	}

	told, err = f.Explain(t.Context(), "It rained.")
	if err != nil || len(told) > 0 {
		t.Errorf("of no entity %+v is told, %v", told, err)
	}
	masks, err := folder.OpenMasks(dir)
	if err != nil || !slices.Equal(masks.Relations(), []string{"Likes", "Work_For"}) {
		t.Fatal(masks, err)
	}
	masker, err := mask.OpenBy("types:relation:Work_For", mask.Tag, nil, masks)
	if err != nil {
		t.Fatal(err)
	}
	if got := text.Apply(s, text.Mask(s, nil, masker), ""); got != "It rained. Mary Jones works for [WORK_FOR]." {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(masker.Rule(), masks.Version()) {
		t.Errorf("the rule %q does not name the model", masker.Rule())
	}
	again, err := folder.OpenMasks(dir)
	if err != nil || again.Version() != masks.Version() {
		t.Errorf("versions are %q and %q, %v", masks.Version(), again.Version(), err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                        "holds no model of relations",
		file:                       "is no folder",
		filepath.Join(dir, "none"): "no such file",
	} {
		if _, err := folder.Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if _, err := folder.OpenMasks(path); err == nil {
			t.Error("masks are made of it")
		}
	}
}
