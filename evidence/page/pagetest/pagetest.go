// Package pagetest helps to test pages that package page has written: that
// names in results have not got out of their place, and that a browser shows
// nothing cut off or covered. It is for tests alone. The smallest use is
//
//	pagetest.HTML(t, html)
//	pagetest.Markdown(t, markdown)
//	pagetest.Browser(t, html, 3)
package pagetest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Evil is a name that breaks out of everything that does not escape it. The
// last letters turn the direction of what follows.
const Evil = "</title></style><script>alert(1)</script>\"'><img src=x onerror=alert(2)> | `code` **bold** [a](http://b.example) @all\n# h\u202e12"

var (
	tag        = regexp.MustCompile(`<[/!]?([A-Za-z][A-Za-z0-9]*)`)
	quoted     = regexp.MustCompile(`="[^"]*"`)
	attribute  = regexp.MustCompile(`<[A-Za-z][^>]*\son[a-z]+=`)
	ownTags    = strings.Fields("DOCTYPE html head meta title style body header h1 p ul li b span nav a main section h2 h3 details summary pre figure div figcaption table thead tbody tr th td footer svg desc line path text rect")
	turned     = regexp.MustCompile(`[\x{202a}-\x{202e}\x{2066}-\x{2069}]`)
	notNumber  = regexp.MustCompile(`\bNaN\b|[+-]?\bInf\b|\bnull\b|%!`)
	ownElement = regexp.MustCompile(`</?(details|summary)>`)
)

// HTML fails if a page or a drawing holds an element that package page does not
// write, an attribute that runs code, or a mark that turns the direction of
// text.
func HTML(t testing.TB, page string) {
	t.Helper()
	for _, m := range tag.FindAllStringSubmatch(page, -1) {
		if !slices.Contains(ownTags, m[1]) {
			t.Errorf("the page has an element %q", m[1])
		}
	}
	if attribute.MatchString(quoted.ReplaceAllString(page, "=")) {
		t.Error("the page has an attribute that runs code")
	}
	if turned.MatchString(page) {
		t.Error("the page turns the direction of text")
	}
}

// Markdown fails for the same reasons if text is more than what package page
// writes, and if a row of a table has not as many cells as its head.
func Markdown(t testing.TB, text string) {
	t.Helper()
	if rest := ownElement.ReplaceAllString(text, ""); strings.ContainsAny(rest, "<>") {
		t.Error("the text has elements that are not its own")
	}
	if turned.MatchString(text) {
		t.Error("the text turns the direction of text")
	}
	columns := 0
	for line := range strings.Lines(text) {
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
			continue
		case columns == 0:
			columns = n
		}
		if n != columns {
			t.Errorf("a row has %d bars, want %d: %.100q", n, columns, line)
		}
	}
}

// Numbers fails if a page or text holds a number as Go prints what is none.
func Numbers(t testing.TB, text string) {
	t.Helper()
	if m := notNumber.FindString(text); m != "" {
		t.Errorf("the text holds %q", m)
	}
}
