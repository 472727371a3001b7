package command_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/internal/version"
)

func TestVersion(t *testing.T) {
	want := "sotto version " + version.Get().String() + "\n"
	for _, args := range []string{"version", "--version"} {
		if code, out, errs := clitest.Sotto(t, "", strings.Fields(args)...); code != command.ExitDone || out != want || errs != "" {
			t.Errorf("sotto %s: exit code %d, %q, %q; want 0 and %q", args, code, out, errs, want)
		}
	}
	code, out, _ := clitest.Sotto(t, "", "version", "--json")
	var got version.Build
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != command.ExitDone || got != version.Get() {
		t.Errorf("sotto version --json: exit code %d, %v, %q; want %+v", code, err, out, version.Get())
	}
}
