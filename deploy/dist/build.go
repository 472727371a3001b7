package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// build makes the program for a platform and returns its path. Settings of the user
// that change the bytes are overruled.
func (s source) build(ctx context.Context, work, goos, goarch string) (string, error) {
	to := filepath.Join(work, goos+"-"+goarch, "sotto")
	if _, err := os.Stat(to); err == nil {
		return to, nil // of this machine, for which gather has built it
	}
	const at = "sotto/internal/version."
	link := strings.Join([]string{
		"-s -w -buildid=",
		"-X " + at + "number=" + s.version,
		"-X " + at + "commit=" + s.commit,
		"-X " + at + "date=" + s.at.Format(time.RFC3339),
	}, " ")
	_, err := output(ctx, []string{
		"CGO_ENABLED=0", "GOOS=" + goos, "GOARCH=" + goarch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOFIPS140=off",
	}, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags="+link, "-o", to, "./cmd/sotto")
	return to, err
}

// shell is a completion script: what makes it, and where it lies in an archive and
// in a Debian package, which has none for PowerShell.
type shell struct{ name, archive, deb string }

var shells = []shell{
	{"bash", "completions/sotto.bash", "usr/share/bash-completion/completions/sotto"},
	{"zsh", "completions/_sotto", "usr/share/zsh/vendor-completions/_sotto"},
	{"fish", "completions/sotto.fish", "usr/share/fish/vendor_completions.d/sotto.fish"},
	{"powershell", "completions/sotto.ps1", ""},
}

// common is what every platform gets.
type common struct {
	man         map[string][]byte // by file name, such as sotto.1
	completions map[string][]byte // by shell
	documents   map[string][]byte // by file name
}

// documents of the repository that every package holds.
var documents = []string{"LICENSE", "README.md", "CHANGELOG.md"}

// gather builds the program for this machine and lets it write manual and
// completions.
func (s source) gather(ctx context.Context, work string) (common, error) {
	c := common{man: map[string][]byte{}, completions: map[string][]byte{}, documents: map[string][]byte{}}
	program, err := s.build(ctx, work, runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return c, err
	}
	dir := filepath.Join(work, "man")
	epoch := fmt.Sprintf("SOURCE_DATE_EPOCH=%d", s.at.Unix())
	if _, err = output(ctx, []string{epoch}, program, "man", "--dir", dir); err != nil {
		return c, err
	}
	pages, err := os.ReadDir(dir)
	if err != nil {
		return c, err
	}
	for _, p := range pages {
		if c.man[p.Name()], err = os.ReadFile(filepath.Join(dir, p.Name())); err != nil {
			return c, err
		}
	}
	for _, sh := range shells {
		if c.completions[sh.name], err = output(ctx, nil, program, "completion", sh.name); err != nil {
			return c, err
		}
	}
	for _, name := range documents {
		if c.documents[name], err = os.ReadFile(name); err != nil {
			return c, err
		}
	}
	return c, nil
}
