package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sotto/deploy/pack"
)

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright|patents)([.-].*)?$`)

// noticesOf returns the licences of all that a program holds and that is not ours,
// which most of them ask for: their texts, and their names by the path of the module,
// "std" for the standard library. A module without one that we know is refused.
func noticesOf(ctx context.Context, program []byte) (texts []byte, names map[string][]string, err error) {
	modules, err := pack.Modules(program)
	if err != nil {
		return nil, nil, err
	}
	root, err := output(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	names = map[string][]string{}
	b.WriteString("This program holds the following works of others, under their licences.\n")
	if names["std"], err = appendNotice(&b, "The Go standard library", strings.TrimSpace(string(root))); err != nil {
		return nil, nil, err
	}
	args := []string{"list", "-m", "-f", "{{.Dir}}"}
	for _, m := range modules {
		args = append(args, m.Path)
	}
	listed, err := output(ctx, []string{"GOFLAGS="}, "go", args...)
	if err != nil {
		return nil, nil, err
	}
	dirs := strings.Split(strings.TrimSpace(string(listed)), "\n")
	if len(dirs) != len(modules) {
		return nil, nil, fmt.Errorf("go list knows %d folders of %d modules", len(dirs), len(modules))
	}
	for i, m := range modules {
		if names[m.Path], err = appendNotice(&b, m.Path+" "+m.Version, dirs[i]); err != nil {
			return nil, nil, err
		}
	}
	if err = appendData(&b); err != nil {
		return nil, nil, err
	}
	return b.Bytes(), names, nil
}

// appendData adds the notices of tables, lists and models that packages of ours hold
// and others made, which lie beside them.
func appendData(b *bytes.Buffer) error {
	return filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && len(path) > 1 && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata"):
			return filepath.SkipDir
		case e.IsDir() || e.Name() != "NOTICE":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s\nsotto/%s\n\n%s\n", strings.Repeat("=", 72), filepath.ToSlash(path), bytes.TrimSpace(text))
		return nil
	})
}

// appendNotice adds the texts of a folder, and returns the names of the licences that
// they hold.
func appendNotice(b *bytes.Buffer, title, dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		names = append(names, pack.Licences(text)...)
		fmt.Fprintf(b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 72), title, e.Name(), bytes.TrimSpace(text))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no licence that we know, and must not be handed out without one", title)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
