package house_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// What the version is in the code, and in the heading of the topmost section of the
// changelog, which says so for as long as it is not released.
var (
	numberLine = regexp.MustCompile(`(?m)^\tnumber += "([^"]*)"$`)
	topSection = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)( \(unreleased\)|, \d{4}-\d{2}-\d{2})$`)
)

// versions finds a version in the code that is not the one in the changelog.
func versions(t *tree) []string {
	const code, log = "internal/version/version.go", "CHANGELOG.md"
	_, sections, _ := strings.Cut(t.text[log], "\n## ")
	first, _, _ := strings.Cut("## "+sections, "\n")
	section := topSection.FindStringSubmatch(first)
	number := numberLine.FindStringSubmatch(t.text[code])
	if section == nil || number == nil {
		return []string{fmt.Sprintf("%s begins with %q and %s has the line %q, want `## 1.2.3 (unreleased)` or `## 1.2.3, 2026-01-31`, and the same number", log, first, code, number)}
	}
	want := section[1]
	if section[2] == " (unreleased)" {
		want += "-dev"
	}
	if number[1] != want {
		return []string{fmt.Sprintf("%s says %s, must say %s as the topmost section of %s does", code, number[1], want, log)}
	}
	return nil
}

func TestVersion(t *testing.T) {
	files := func(number, heading string) map[string]string {
		return map[string]string{
			"internal/version/version.go": "package version\n\nvar (\n\tnumber = \"" + number + "\"\n)\n",
			"CHANGELOG.md":                "# Changelog\n\n## " + heading + "\n\n## 0.0.1, 2025-01-01\n",
		}
	}
	enforce(t, versions, []example{
		{name: "in the making", files: files("0.2.0-dev", "0.2.0 (unreleased)")},
		{name: "released", files: files("0.2.0", "0.2.0, 2026-01-31")},
		{name: "another", files: files("0.3.0", "0.2.0, 2026-01-31"), want: "must say 0.2.0"},
		{name: "released too early", files: files("0.2.0", "0.2.0 (unreleased)"), want: "must say 0.2.0-dev"},
		{name: "nameless", files: files("0.2.0", "Unreleased"), want: "begins with"},
	})
}
