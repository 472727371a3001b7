package claims_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// filesLine is an audit of a shell's line, on inputs that differ in their second row.
func filesLine(t *testing.T, line string, more ...string) []string {
	t.Helper()
	if _, err := exec.LookPath("cksum"); err != nil {
		t.Skip("there is no cksum")
	}
	a, b := clitest.TextFile(t, "a.txt", "one\ntwo\nthree\n"), clitest.TextFile(t, "b.txt", "one\nprivate words\nthree\n")
	return append(append([]string{"audit", "files", "--a", a, "--b", b, "--runs", "20", "--most", "0"}, more...), "--", line)
}

// A command that writes a digest of its input is refuted by it, one that does not
// is not, and scripts read it.
func TestAuditFiles(t *testing.T) {
	type found struct {
		EpsilonLower float64 `json:"epsilon_lower"`
		Claim        float64 `json:"claim"`
		Refuted      bool    `json:"refuted"`
		Evidence     []struct{ Where, What, Kind string }
	}
	code, out, errs := clitest.Sotto(t, "", filesLine(t, "cksum <{in} >{out}; wc -l <{in}", "--claim", "0.5", "--json")...)
	var got found
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != command.ExitNo {
		t.Fatalf("exit code %d, %v: %s", code, err, errs)
	}
	if !got.Refuted || got.Claim != 0.5 || got.EpsilonLower <= 0.5 || len(got.Evidence) == 0 || got.Evidence[0].Kind != "constant" || !strings.HasPrefix(got.Evidence[0].Where, "{out}: line 1") {
		t.Errorf("result = %+v, want refuted by a constant line of {out}", got)
	}
	code, out, errs = clitest.Sotto(t, "", filesLine(t, "wc -l <{in} >{out}", "--claim", "0.5")...)
	if code != command.ExitDone || !strings.Contains(out, "not refuted: no field was found") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	if strings.Contains(out, "private words") {
		t.Error("the audit shows a text of its input")
	}
}

func TestAuditFilesRefuses(t *testing.T) {
	for want, line := range map[string][]string{
		"want a command behind --":       {"audit", "files", "--a", "a.txt", "--b", "b.txt", "--claim", "1"},
		"want --a and --b":               {"audit", "files", "--claim", "1", "--", "cat", "{in}"},
		"want --claim":                   {"audit", "files", "--a", "a.txt", "--b", "b.txt", "--", "cat", "{in}"},
		"ends with exit status":          filesLine(t, "cat {in} >/dev/null; false", "--claim", "1"),
		"files: the command has no {in}": filesLine(t, "true", "--claim", "1"),
		"--workers is -1":                filesLine(t, "cat {in}", "--claim", "1", "--workers", "-1"),
	} {
		if code, _, errs := clitest.Sotto(t, "", line...); code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("exit code %d and %q, want %d and %q", code, errs, command.ExitUse, want)
		}
	}
}
