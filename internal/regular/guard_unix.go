//go:build unix

package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostLinks bounds how many links a path may lead through, as Linux does.
const mostLinks = 40

// Guard refuses a path at which somebody else could put something, as StrictModes of
// OpenSSH does: every folder on the way to it, the links and what lies behind them, and the
// file itself must belong to root or to who runs this, and nobody else may write them. Into
// a folder with the sticky bit, such as /tmp, others may write, since they cannot exchange
// there what is not theirs. A secret nobody else may read either, but for what [OpenSecret]
// allows.
//
// The error for what is not there wraps io/fs.ErrNotExist: the folders above it are in order.
func Guard(path string, secret bool) error {
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	at, rest := "/", strings.Split(whole, "/")
	if err := guardFolder(at); err != nil {
		return err
	}
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..": // links are followed on the way, so that this is the folder above
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if err != nil {
			return err
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			if err := guardOwner(next, info); err != nil {
				return err
			}
			to, err := os.Readlink(next)
			if err != nil {
				return err
			}
			if links++; links > mostLinks {
				return fmt.Errorf("%s leads through more than %d links", path, mostLinks)
			}
			if filepath.IsAbs(to) {
				at = "/"
			}
			rest = append(strings.Split(to, "/"), rest...)
		case info.IsDir():
			if err := guardFolder(next); err != nil {
				return err
			}
			at = next
		default:
			return guardFile(next, info, secret)
		}
	}
	return nil
}

// GuardAll is [Guard] of a folder and of everything in it; secrets are named as they lie
// there.
func GuardAll(dir string, secrets ...string) error {
	if err := Guard(dir, false); err != nil {
		return err
	}
	// What lies behind a link is looked through, too: a model's folder may be one.
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		secret := false
		for _, name := range secrets {
			secret = secret || path == filepath.Join(root, name)
		}
		return Guard(path, secret)
	})
}

func guardFolder(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := guardOwner(path, info); err != nil {
		return err
	}
	if mode := info.Mode(); mode.Perm()&0o022 != 0 && mode&fs.ModeSticky == 0 {
		return fmt.Errorf("the folder %s has mode %#o, so that others can put something else into it, must be writable by its owner alone: chmod go-w", path, mode.Perm())
	}
	return nil
}

func guardFile(path string, info os.FileInfo, secret bool) error {
	if err := guardOwner(path, info); err != nil {
		return err
	}
	switch mode := info.Mode().Perm(); {
	case secret && mode&0o077 != 0 && !lent(info):
		return fmt.Errorf("%s has mode %#o, so that others can read it, must be readable by its owner alone: chmod 0600", path, mode)
	case mode&0o022 != 0:
		return fmt.Errorf("%s has mode %#o, so that others can write it, must be writable by its owner alone: chmod go-w", path, mode)
	}
	return nil
}

func guardOwner(path string, info os.FileInfo) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New(path + ": this system does not say whose it is")
	}
	if me := os.Geteuid(); s.Uid != 0 && int(s.Uid) != me {
		return fmt.Errorf("%s belongs to user %d, who can change it, must belong to root or to user %d, who runs this: chown it", path, s.Uid, me)
	}
	return nil
}
