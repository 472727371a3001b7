package command_test

import (
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

func TestRefusals(t *testing.T) {
	for name, tt := range map[string]struct{ args, want string }{
		"everybody":      {"--listen 0.0.0.0:0", "only this machine can reach"},
		"a name":         {"--listen example.com:80", "only this machine can reach"},
		"no folder":      {"--listen 127.0.0.1:0 --out " + t.TempDir() + "/none", "folder for trainings"},
		"no upload":      {"--max-upload -1", "--max-upload is -1"},
		"no file":        {"--listen 127.0.0.1:0 --in " + t.TempDir() + "/none.csv", "none.csv"},
		"no cores":       {"--listen 127.0.0.1:0 --workers -1", "workers"},
		"too many words": {"--listen 127.0.0.1:0 mine.csv", "mine.csv\" is a word too many for \"sotto studio\"; a file is given with --in"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := clitest.Sotto(t, "", append([]string{"studio", "--no-open"}, strings.Fields(tt.args)...)...)
			if code != command.ExitUse || !strings.Contains(errs, tt.want) || out != "" {
				t.Errorf("exit code %d, %s%s, want %q", code, out, errs, tt.want)
			}
		})
	}
}
