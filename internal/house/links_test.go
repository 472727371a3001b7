package house_test

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	inlineLink    = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)
	referenceLink = regexp.MustCompile(`(?m)^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)`)
	codeSpan      = regexp.MustCompile("`[^`\n]*`")
	heading       = regexp.MustCompile(`(?m)^#{1,6}\s+(.+?)\s*#*$`)
	scheme        = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
)

// broken finds links in Markdown files that lead to no file of the repository,
// or to no heading of the file they lead to.
func broken(t *tree) []string {
	var found []string
	for _, from := range t.withExt(".md") {
		prose := codeSpan.ReplaceAllString(outsideFences(t.text[from]), "")
		links := append(inlineLink.FindAllStringSubmatch(prose, -1), referenceLink.FindAllStringSubmatch(prose, -1)...)
		for _, m := range links {
			if !scheme.MatchString(m[1]) && !t.resolves(from, m[1]) {
				found = append(found, fmt.Sprintf("%s: link to %s leads nowhere", from, m[1]))
			}
		}
	}
	return found
}

// resolves reports whether a relative link leads somewhere.
func (t *tree) resolves(from, link string) bool {
	target, anchor, anchored := strings.Cut(link, "#")
	file, err := url.PathUnescape(target)
	if err != nil {
		return false
	}
	switch {
	case file == "":
		file = from
	case strings.HasPrefix(file, "/"):
		file = path.Clean(file[1:])
	default:
		file = path.Join(path.Dir(from), file)
	}
	if !t.known[file] {
		return false
	}
	return !anchored || path.Ext(file) != ".md" || anchors(t.text[file])[anchor]
}

// outsideFences returns Markdown without its fenced blocks of code.
func outsideFences(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchors returns the anchors of a file's headings, as code hosts make them:
// in lower case, with hyphens for spaces and without punctuation.
func anchors(text string) map[string]bool {
	set := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(outsideFences(text), -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		unique := slug
		for n := 1; set[unique]; n++ {
			unique = fmt.Sprintf("%s-%d", slug, n)
		}
		set[unique] = true
	}
	return set
}

func TestLinks(t *testing.T) {
	enforce(t, broken, []example{
		{
			name: "whole",
			files: map[string]string{
				"README.md":     "# Title\n\n## What's new, today?\n\n## Twice\n\n## Twice\n[a](docs/a.md#part-1) [b](docs) [c](#whats-new-today) [d](https://example.com/x) [e](#twice-1)\n\n[ref]: /docs/a.md \"title\"\n",
				"docs/a.md":     "# Part 1\n![i](../docs/a%20b.png)\n```\n[x](nowhere.md)\n# comment\n```\n`[x](nowhere.md)`\n",
				"docs/a b.png":  "\x00",
				"docs/note.txt": "[x](nowhere.md)",
			},
		},
		{
			name:  "no such file",
			files: map[string]string{"docs/a.md": "See [b](b.md)."},
			want:  "docs/a.md: link to b.md leads nowhere",
		},
		{
			name:  "no such reference",
			files: map[string]string{"a.md": "See [b].\n\n[b]: b.md\n"},
			want:  "a.md: link to b.md leads nowhere",
		},
		{
			name:  "outside",
			files: map[string]string{"a.md": "See [b](../a.md)."},
			want:  "link to ../a.md leads nowhere",
		},
		{
			name:  "no such heading",
			files: map[string]string{"a.md": "# A\n[b](#b)\n"},
			want:  "link to #b leads nowhere",
		},
	})
}
