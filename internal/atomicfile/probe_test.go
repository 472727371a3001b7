package atomicfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/atomicfile"
)

func TestProbe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ok := range []string{dir, filepath.Join(dir, "new", "below")} {
		if err := atomicfile.Probe(ok); err != nil {
			t.Errorf("Probe(%s) = %v, want nil", ok, err)
		}
	}
	if err := atomicfile.ProbeFile(filepath.Join(dir, "another")); err != nil {
		t.Errorf("ProbeFile = %v, want nil", err)
	}
	if err := atomicfile.ProbeFile(filepath.Join(dir, "new", "below")); err == nil || !strings.Contains(err.Error(), "nothing can be written into "+filepath.Join(dir, "new")+":") {
		t.Errorf("ProbeFile in no folder = %v, want that nothing can be written there", err)
	}
	if left := names(t, dir); left != "file" {
		t.Errorf("Probe left %q behind", left)
	}
	if err := atomicfile.Probe(file); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("Probe of a file = %v, want that it is no folder", err)
	}
	if err := atomicfile.Probe(filepath.Join(file, "below")); err == nil {
		t.Error("Probe below a file succeeded")
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // who may write everywhere, but for what the kernel makes up
		locked = "/proc"
		if _, err := os.Stat(locked); err != nil {
			t.Skip("the user may write everywhere, so that no folder can be locked")
		}
	}
	if err := atomicfile.Probe(filepath.Join(locked, "below")); err == nil || !strings.Contains(err.Error(), "nothing can be written") {
		t.Errorf("Probe below a locked folder = %v, want that nothing can be written", err)
	}
}
