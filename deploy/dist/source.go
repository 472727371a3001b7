package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sotto/internal/version"
)

// source is what is built.
type source struct {
	version string
	commit  string
	at      time.Time // of the commit; of every file that is made
}

var commitHash = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// findSource asks the clone which commit this is, unless it is told. Files that are
// not those of the commit are said, in the version too.
func findSource(ctx context.Context, commit string, errs io.Writer) (source, error) {
	s := source{version: version.Get().Version, commit: commit}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if commit == "" {
		head, err := output(ctx, nil, "git", "log", "-1", "--format=%H %ct")
		if err != nil {
			return s, fmt.Errorf("there is no clone to ask for the commit, so --commit and SOURCE_DATE_EPOCH must give it: %w", err)
		}
		var at string
		s.commit, at, _ = strings.Cut(strings.TrimSpace(string(head)), " ")
		if epoch == "" {
			epoch = at
		}
		changed, err := output(ctx, nil, "git", "status", "--porcelain")
		if err != nil {
			return s, err
		}
		if len(changed) > 0 {
			s.version += "+changed"
			if _, err := fmt.Fprintln(errs, "the files are not those of the commit, so the version is", s.version); err != nil {
				return s, err
			}
		}
	}
	if !commitHash.MatchString(s.commit) {
		return s, fmt.Errorf("--commit is %.70q, must be the hash of a commit", s.commit)
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 315532800 { // 1980, before which zip has no dates
		return s, fmt.Errorf("SOURCE_DATE_EPOCH is %.40q, must be the commit's time in seconds since 1970, in 1980 or later", epoch)
	}
	s.at = time.Unix(seconds, 0).UTC()
	return s, nil
}

// debVersion orders versions as they follow each other: 0.1.0-dev comes before
// 0.1.0, and a later commit of it after an earlier. The 1 counts packages of one version.
func (s source) debVersion() string {
	v := strings.ReplaceAll(s.version, "-", "~")
	if strings.Contains(v, "~") {
		v += "+" + s.at.Format("20060102150405") + "." + s.commit[:min(12, len(s.commit))]
	}
	return v + "-1"
}

// output runs a program and returns what it prints.
func output(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), env...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err), errors.New(strings.TrimSpace(said.String())))
	}
	return out, nil
}
