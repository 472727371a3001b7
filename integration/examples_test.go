package integration_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exampleOutput is what every example prints of a gateway with a budget for two texts.
// Of ε some print all digits: it is rounded up.
var exampleOutput = regexp.MustCompile(`^a vector of 128 numbers, epsilon 8(\.0+[0-9]*)? for each text by cells; it cost 8, and 8 is left
the same text again, with dimensions 128: (status 200|the same vector), it cost 0
with dimensions 7: status 400, invalid_value
text 2 was refused: status 403, over_budget, asked for 8 with 0 left
$`)

// TestExamples runs each example as its users do, with a key, and with one that the
// gateway does not know.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		needs   []string
		prepare func(t *testing.T, dir string) string
		command []string
	}{
		{"curl", []string{"curl", "sh"}, nil, []string{"./embed.sh"}},
		{"python", []string{"python3"}, nil, []string{"python3", "embed.py"}},
		{"langchain", []string{"node", "npm"}, fetchPackages, []string{"node", "embed.mjs"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range tt.needs {
				if _, err := exec.LookPath(name); err != nil {
					t.Skipf("%s is not installed", name)
				}
			}
			dir := filepath.Join("..", "examples", tt.name)
			if tt.prepare != nil {
				dir = tt.prepare(t, dir)
			}
			key, keys := newKey(t, "--subject", "shop")
			p := gateway(t, "--keys", keys, "--budget", "16")
			ask := func(key string) (string, error) {
				c := exec.Command(tt.command[0], tt.command[1:]...)
				c.Dir, c.Env = dir, append(os.Environ(), "SOTTO_URL="+p.base, "SOTTO_KEY="+key)
				out, err := c.CombinedOutput()
				return string(out), err
			}
			if out, err := ask(key + "x"); err == nil || !strings.Contains(strings.ToLower(out), "key") {
				t.Errorf("with another key: %v, and it printed %q, want a failure that speaks of the key", err, out)
			}
			if out, err := ask(key); err != nil || !exampleOutput.MatchString(out) {
				t.Errorf("%v, and it printed\n%s", err, out)
			}
			p.silent(t, key, "felt better")
		})
	}
}

// offline matches what npm says where it cannot reach its registry.
var offline = regexp.MustCompile(`\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b`)

// fetchPackages returns a folder with an example and the packages that it needs: its
// own, where somebody has installed them, or else a copy with what package-lock.json
// pins.
func fetchPackages(t *testing.T, dir string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir
	}
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")
	c.Dir = to
	out, err := c.CombinedOutput()
	if err != nil && offline.Match(out) {
		t.Skip("npm does not reach its registry")
	}
	if err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return to
}
