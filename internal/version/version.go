// Package version says which sotto this is: its version, the commit that it was
// built from, and what built it. It is the one place that knows.
//
// It is apart because builds write into its variables by name.
package version

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// What -ldflags "-X sotto/internal/version.commit=…" may set, for a build outside of
// a clone. The number is that of the topmost section of CHANGELOG.md, with -dev for
// as long as that section is not released; a test compares the two.
var (
	number = "0.1.0-dev"
	commit = "" // the full hash
	date   = "" // of the commit, in RFC 3339
)

// Build says what a program was built from, and by what.
type Build struct {
	Version  string `json:"version"`            // such as 0.1.0
	Commit   string `json:"commit,omitempty"`   // its full hash; empty if it is not known
	Date     string `json:"date,omitempty"`     // of the commit, in RFC 3339
	Modified bool   `json:"modified,omitempty"` // the files were not those of the commit
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Get returns what this program was built from, as the linker was told, or else as
// the build recorded it.
func Get() Build {
	b := Build{Version: number, Commit: commit, Date: date, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok || commit != "" { // what was told is not mixed with what was recorded of another tree
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = cmp.Or(b.Date, s.Value)
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// Short returns the version and the beginning of the commit, as records have it that
// say what made them.
func Short() string {
	b := Get()
	return strings.TrimSpace(b.Version + " " + b.revision())
}

// String returns one line that says everything.
func (b Build) String() string {
	text := b.Version
	if at := b.revision(); at != "" {
		text += ", commit " + at
		if day, _, _ := strings.Cut(b.Date, "T"); day != "" {
			text += " (" + day + ")"
		}
		if b.Modified {
			text += " with changes"
		}
	}
	return fmt.Sprintf("%s, %s %s/%s", text, b.Go, b.OS, b.Arch)
}

// revision returns the beginning of the commit that people write.
func (b Build) revision() string { return b.Commit[:min(12, len(b.Commit))] }
