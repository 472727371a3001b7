package command_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"sotto/command"
	"sotto/command/clitest"
)

// write lets the command write its pages, and returns them by name.
func write(t *testing.T) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "man1")
	if code, out, errs := clitest.Sotto(t, "", "man", "--dir", dir); code != command.ExitDone || out+errs != "" {
		t.Fatalf("exit code %d, %q, %q; want 0 and nothing", code, out, errs)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		pages[f.Name()] = string(content)
	}
	return pages
}

// Every command has a page, and the same bytes each time.
func TestPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	pages := write(t)
	for _, name := range []string{"sotto.1", "sotto-train.1", "sotto-audit-files.1", "sotto-budget-show.1", "sotto-version.1"} {
		if !strings.HasPrefix(pages[name], `.TH "`+strings.ToUpper(strings.TrimSuffix(name, ".1"))+`" 1 "1970-01-02" "sotto `) {
			t.Errorf("%s begins with %.80q, want its heading", name, pages[name])
		}
	}
	for _, name := range []string{"sotto-man.1", "sotto-help.1"} {
		if _, ok := pages[name]; ok {
			t.Errorf("there is a page %s, want none of what is hidden", name)
		}
	}
	for name, again := range write(t) {
		if pages[name] != again {
			t.Errorf("%s was not written as before", name)
		}
	}
	train := pages["sotto-train.1"]
	for _, want := range []string{".SH OPTIONS\n", `\fB\-\-epsilon\fR`, ".SH EXAMPLES\n", `\fBsotto\fR(1)`, "(default reviews)"} {
		if !strings.Contains(train, want) {
			t.Errorf("sotto-train.1 does not contain %q", want)
		}
	}
}

// A page says what the command says, whatever roff would make of it.
func TestEscapes(t *testing.T) {
	c := &cobra.Command{Use: "x", Short: "Do x", Long: ".hidden begins with a dot\n'quoted\n\n  a\\b  back-slash\n\nend", Run: func(*cobra.Command, []string) {}}
	page := string(command.ManualPage(c, ""))
	for _, want := range []string{"\n\\&.hidden begins", "\n\\&'quoted\n", ".TP\n\\fBa\\eb\\fR\nback\\-slash\n", ".PP\nend\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("page is\n%s\nwant %q in it", page, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "tomorrow")
	for args, want := range map[string]string{"man": "want --dir", "man --dir x": "SOURCE_DATE_EPOCH is"} {
		if code, _, errs := clitest.Sotto(t, "", strings.Fields(args)...); code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("sotto %s: exit code %d, %q; want 2 and %q", args, code, errs, want)
		}
	}
}

// The formatter has nothing to complain of, and sets each page.
func TestGroff(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	pages := write(t)
	c := exec.Command(groff, "-k", "-man", "-Tutf8", "-P-c", "-ww")
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		c.Args = append(c.Args, clitest.TextFile(t, name, pages[name]))
	}
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil || errs.Len() > 0 {
		t.Errorf("groff: %v, %q, want no warning", err, errs.String())
	}
	for name := range pages {
		if heading := strings.ToUpper(strings.TrimSuffix(name, ".1")) + "(1)"; !bytes.Contains(out, []byte(heading)) {
			t.Errorf("%s is not set: no %s", name, heading)
		}
	}
	if len(out) < 200*len(pages) {
		t.Errorf("%d pages are %d bytes, want more", len(pages), len(out))
	}
}
