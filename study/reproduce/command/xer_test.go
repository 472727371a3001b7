package reproduce_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/command"
	"sotto/study/link/xer"
)

// The tables of graphs are made without any data, which is said to be missing.
func TestXER(t *testing.T) {
	t.Setenv("SOTTO_DATA", "")
	code, out, errs := program.Sotto(t, "", "reproduce", "xer", "--quick", "--seeds", "1", "--json")
	var r xer.Result
	if code != command.ExitDone || json.Unmarshal([]byte(out), &r) != nil || len(r.Synthetic) != 5 || len(r.Real) != 0 || !strings.Contains(r.Absent, "SOTTO_DATA") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	code, _, errs = program.Sotto(t, "", "reproduce", "xer", "--seeds", "-1")
	if code != command.ExitUse || !strings.Contains(errs, "seeds is -1") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}
