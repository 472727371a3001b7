package text_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite golden files")

// unicodeDir is where Debian's package unicode-data and others put the tables.
const unicodeDir = "/usr/share/unicode"

const unicodeVersion = "15.0.0"

const foldHead = `# What the characters of a text become before WordPiece looks them up, as the
# reference tokeniser for BERT without case does it. Made by TestFolds with the
# flag -update from UnicodeData.txt and DerivedAge.txt of Unicode %s,
# https://www.unicode.org/license.txt; do not edit.
#
# A line is a character or a range, then drop, space or alone (a word of its
# own), or nothing for a letter, and then what replaces the character if it does
# not stay what it is. Characters without a line stay, as letters. Syllables of
# Hangul have none: they follow a formula.
`

// ucd is what is needed of the tables of Unicode.
type ucd struct {
	category   map[rune]string
	decomposed map[rune][]rune
	lower      map[rune]rune
	young      map[rune]bool // not in Unicode 8
}

// readUCD reads the tables, and skips the test if they are not there.
func readUCD(t *testing.T) ucd {
	u := ucd{map[rune]string{}, map[rune][]rune{}, map[rune]rune{}, map[rune]bool{}}
	var first rune
	for i, f := range fields(t, "UnicodeData.txt") {
		c := hex(t, f[0])
		if strings.HasSuffix(f[1], "First>") {
			first = c
			continue
		}
		if !strings.HasSuffix(f[1], "Last>") {
			first = c
		}
		for r := first; r <= c; r++ {
			u.category[r] = f[2]
		}
		if len(f) != 15 {
			t.Fatalf("line %d of UnicodeData.txt has %d fields, want 15", i+1, len(f))
		}
		if f[5] != "" && f[5][0] != '<' {
			for _, r := range strings.Fields(f[5]) {
				u.decomposed[c] = append(u.decomposed[c], hex(t, r))
			}
		}
		if f[13] != "" {
			u.lower[c] = hex(t, f[13])
		}
	}
	for _, f := range fields(t, "DerivedAge.txt") {
		age, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		from, to, isRange := strings.Cut(f[0], "..")
		if !isRange {
			to = from
		}
		for r := hex(t, from); r <= hex(t, to); r++ {
			u.young[r] = age > 8
		}
	}
	return u
}

// fields returns the fields of the lines of a table, without comments.
func fields(t *testing.T, name string) (rows [][]string) {
	data, err := os.ReadFile(filepath.Join(unicodeDir, name))
	if err != nil {
		t.Skipf("the tables of Unicode %s are not in %s", unicodeVersion, unicodeDir)
	}
	if strings.HasPrefix(string(data), "# DerivedAge-") && !strings.HasPrefix(string(data), "# DerivedAge-"+unicodeVersion) {
		t.Skipf("the tables in %s are not those of Unicode %s", unicodeDir, unicodeVersion)
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		row := strings.Split(strings.TrimSpace(line), ";")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

func hex(t *testing.T, s string) rune {
	n, err := strconv.ParseUint(s, 16, 21)
	if err != nil {
		t.Fatal(err)
	}
	return rune(n)
}

// class returns the category that the reference has for a character. Its tables
// of categories are those of Unicode 8: it knows no younger mark, punctuation or
// control character, and six categories have changed since.
func (u ucd) class(r rune) string {
	switch r {
	case 0x166d, 0x111c9:
		return "Po"
	case 0x1734:
		return "Mn"
	case 0x1885, 0x1886, 0xa9bd:
		return "Lo"
	}
	c := u.category[r]
	if u.young[r] && (c == "Mn" || c == "Cf" || strings.HasPrefix(c, "P")) {
		return "Lo"
	}
	return c
}

// decompose returns the canonical decomposition.
func (u ucd) decompose(r rune) (all []rune) {
	if u.young[r] || u.decomposed[r] == nil {
		return []rune{r}
	}
	for _, part := range u.decomposed[r] {
		all = append(all, u.decompose(part)...)
	}
	return all
}

func (u ucd) punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != 0x7f && !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyz", r)
	}
	return strings.HasPrefix(u.class(r), "P")
}

// chinese reports whether the reference takes a character for a Chinese one.
func chinese(r rune) bool {
	for _, b := range [][2]rune{
		{0x3400, 0x4dbf},
		{0x4e00, 0x9fff},
		{0xf900, 0xfaff},
		{0x20000, 0x2a6df},
		// The reference's range is 0x100 characters shorter than the block.
		{0x2a700, 0x2b81f},
		{0x2b920, 0x2ceaf},
		{0x2f800, 0x2fa1f},
	} {
		if r >= b[0] && r <= b[1] {
			return true
		}
	}
	return false
}

// whitespace reports whether a character has the property White_Space.
func whitespace(r rune) bool {
	switch r {
	case '\t', '\n', '\r', ' ', 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}

// rule returns what stands behind the character in its line: "" for no line.
func (u ucd) rule(t *testing.T, r rune) string {
	switch c := u.class(r); {
	case whitespace(r):
		return "space"
	case c == "Cc" || c == "Cf" || c == "Co" || r == utf8.RuneError:
		return "drop"
	case c == "Cs":
		return ""
	}
	var kept []rune
	separate := chinese(r)
	for _, part := range u.decompose(r) {
		if u.class(part) == "Mn" {
			continue
		}
		if low, ok := u.lower[part]; ok {
			part = low
		}
		kept = append(kept, part)
		separate = separate || u.punctuation(part)
	}
	var rule string
	if separate {
		rule = "alone"
		if len(kept) != 1 {
			t.Fatalf("%U becomes %d characters with one that stands alone", r, len(kept))
		}
	}
	if len(kept) == 0 {
		return "drop"
	}
	if len(kept) > 1 || kept[0] != r {
		for _, k := range kept {
			rule += fmt.Sprintf(" %04x", k)
		}
	}
	return strings.TrimSpace(rule)
}

// TestFolds checks the embedded table against those of Unicode.
func TestFolds(t *testing.T) {
	u := readUCD(t)
	var b bytes.Buffer
	fmt.Fprintf(&b, foldHead, unicodeVersion)
	for r := rune(0); r <= utf8.MaxRune; r++ {
		rule := u.rule(t, r)
		if rule == "" {
			continue
		}
		from := r
		for (rule == "drop" || rule == "space" || rule == "alone") && r < utf8.MaxRune && u.rule(t, r+1) == rule {
			r++
		}
		fmt.Fprintf(&b, "%04x", from)
		if r > from {
			fmt.Fprintf(&b, "-%04x", r)
		}
		fmt.Fprintf(&b, " %s\n", rule)
	}
	if *update {
		if err := os.WriteFile("fold.txt", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("fold.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.Bytes()) {
		t.Errorf("fold.txt is not what Unicode %s says: run with -update, and read the difference", unicodeVersion)
	}
}
