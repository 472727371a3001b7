// Package folder opens the folder of a model of relations, of whatever kind "sotto relations
// train" made it, and has it tell masks what to hide.
//
//	m, err := folder.Open("model")
//	…
//	told, err := m.Judge(ctx, instances)
//
// Neither of the two kinds of models knows the other, so it is apart from both.
package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sotto/study/relation"
	"sotto/study/relation/joint"
	"sotto/study/relation/marks"
)

// kind is a kind of model.
type kind struct {
	is   func(dir string) bool // whether a folder holds one
	open func(dir string) (relation.Model, error)
}

// kinds are the models that can be asked.
var kinds = []kind{
	{joint.Is, func(dir string) (relation.Model, error) { return joint.Open(dir) }},
	{marks.Is, func(dir string) (relation.Model, error) { return marks.Open(dir) }},
}

// Is reports whether a folder says that it holds a model of relations.
func Is(dir string) bool {
	for _, k := range kinds {
		if k.is(dir) {
			return true
		}
	}
	return false
}

// Open opens the model in a folder.
func Open(dir string) (relation.Model, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder, must be one of sotto relations train", dir)
	}
	for _, k := range kinds {
		if k.is(dir) {
			return k.open(dir)
		}
	}
	return nil, fmt.Errorf("%s holds no model of relations, must be a folder of sotto relations train", dir)
}

// digest returns one of all files of a folder.
func digest(dir string) (string, error) {
	entries, err := os.ReadDir(dir) // in order
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		one := sha256.New()
		_, err = io.Copy(one, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %x\n", e.Name(), one.Sum(nil)) //nolint:errcheck // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:6]), nil
}
