package vectors_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/study/relation/folder/tiny"
)

// TestMaskRelations masks what a model of one's own tells, in text and in the record.
func TestMaskRelations(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	if err := tiny.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	const s = "Mary Jones works for Google. Google likes Bob.\n"
	code, out, errs := program.Sotto(t, s, "mask", "--mask", "types:relation:Work_For", "--mask-relations", dir)
	if code != command.ExitDone || out != "Mary Jones works for [WORK_FOR]. [WORK_FOR] likes Bob.\n" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	if code, out, _ = program.Sotto(t, s, "mask", "--mask-relations", dir); code != command.ExitDone || !strings.Contains(out, "for [WORK_FOR].") {
		t.Errorf("by default: exit code %d, %q", code, out)
	}
	for args, want := range map[string]string{
		"--mask types:relation:employer --mask-relations " + dir: "relation:Work_For",
		"--mask types:email --mask-relations " + dir:             "must not be without types of its relations",
		"--mask types:relations --mask-relations none":           "--mask-relations: ",
		"--mask types:relation:Work_For":                         "must be one of",
	} {
		if code, _, errs := program.Sotto(t, s, append([]string{"mask"}, strings.Fields(args)...)...); code == command.ExitDone || !strings.Contains(errs, want) || strings.Contains(errs, "Mary") {
			t.Errorf("%s: exit code %d, %q, want %q", args, code, errs, want)
		}
	}
	if code, _, errs := program.Sotto(t, "", "encode", "--in", "none", "--out", "none", "--mechanism", "codebook", "--epsilon", "8", "--mask-relations", dir); code == command.ExitDone || !strings.Contains(errs, "--mask-relations has no meaning without types") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	texts, vectors := clitest.TextFile(t, "texts.txt", s), filepath.Join(t.TempDir(), "private.jsonl")
	if code, _, errs := program.Sotto(t, "", "encode", "--in", texts, "--out", vectors, "--mechanism", "codebook", "--epsilon", "8", "--mask", "types:relation:Work_For", "--mask-relations", dir); code != command.ExitDone || !strings.Contains(errs, "2 relation:Work_For") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}
