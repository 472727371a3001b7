package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sotto/deploy/pack"
)

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright|patents)([.-].*)?$`)

// noticesOf returns the licences of all that a program holds and that is not ours,
// which most of them ask for. A module without one is refused.
func noticesOf(ctx context.Context, program []byte) ([]byte, error) {
	modules, err := pack.Modules(program)
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("This program holds the following works of others, under their licences.\n")
	if err = appendNotice(&b, "The Go standard library", strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	args := []string{"list", "-m", "-f", "{{.Dir}}"}
	for _, m := range modules {
		args = append(args, m.Path)
	}
	listed, err := output(ctx, []string{"GOFLAGS="}, "go", args...)
	if err != nil {
		return nil, err
	}
	dirs := strings.Split(strings.TrimSpace(string(listed)), "\n")
	if len(dirs) != len(modules) {
		return nil, fmt.Errorf("go list knows %d folders of %d modules", len(dirs), len(modules))
	}
	for i, m := range modules {
		if err := appendNotice(&b, m.Path+" "+m.Version, dirs[i]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func appendNotice(b *bytes.Buffer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 72), title, e.Name(), bytes.TrimSpace(text))
	}
	if !found {
		return fmt.Errorf("%s has no file of its licence, and must not be handed out without one", title)
	}
	return nil
}
