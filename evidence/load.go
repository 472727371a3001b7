package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sotto/internal/regular"
	"sotto/internal/signed"
)

// maxFile bounds what is read into memory: results with pictures take a few
// megabytes.
const maxFile = 256 << 20

// folderFile is the file that stands for a folder of "sotto train --out" or
// "sotto demo".
const folderFile = "results.json"

// Load reads files that sotto's commands have stored, and folders that "sotto
// train --out" or "sotto demo" made, into one. It refuses a file that is not
// of these kinds, or has a field that is not known.
func (k Kinds) Load(paths ...string) (*Evidence, error) {
	if len(paths) == 0 {
		return nil, errors.New("evidence: no file is named, must be at least one")
	}
	all, err := k.New()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if err := all.AddFile(path, false); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bound is implemented by evidence that belongs to a file beside its own.
type bound interface {
	// Bind refuses evidence, stored at path, whose file differs from what it
	// says, or is missing unless it may stand alone.
	Bind(path string, alone bool) error
}

// AddFile reads one file or folder, as [Kinds.Load] does. The record of a file of vectors
// is held against them; alone allows one whose vectors are not there, and which
// is then shown as unbound.
func (e *Evidence) AddFile(path string, alone bool) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, folderFile)
	}
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return errors.Join(e.add(path, f, alone), f.Close())
}

// AddSigned is [Evidence.AddFile] of what the key has signed: a file with its signature
// beside it, or a folder that is as it was signed. What was verified is what is read, once.
func (e *Evidence) AddSigned(key signed.PublicKey, path string, alone bool) error {
	var content []byte
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		content, err = key.ReadIn(path, folderFile, maxFile, SignedFolder(false))
		path = filepath.Join(path, folderFile)
	default:
		content, err = key.Read(path, maxFile)
	}
	if err != nil {
		return err
	}
	return e.add(path, bytes.NewReader(content), alone)
}

// add reads what is stored at a path.
func (e *Evidence) add(path string, r io.Reader, alone bool) error {
	before := make([]int, len(e.held))
	for i, list := range e.held {
		before[i] = len(list)
	}
	err := e.Add(filepath.Base(path), r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for i, list := range e.held {
		for _, v := range list[before[i]:] {
			if b, ok := v.(bound); ok {
				err = errors.Join(err, b.Bind(path, alone))
			}
		}
		if err != nil {
			e.held[i] = list[:before[i]]
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// Add reads one file, whose name is only shown. A file that is refused changes
// nothing.
func (e *Evidence) Add(name string, r io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if len(content) > maxFile {
		return fmt.Errorf("evidence: the file is larger than %d MiB", maxFile>>20)
	}
	var fields map[string]json.RawMessage
	if err = json.Unmarshal(content, &fields); err != nil || fields == nil {
		return errors.New("evidence: not a JSON object, must be a file that sotto stored")
	}
	if string(fields["format"]) == `"`+Format+`"` {
		return e.addAll(fields)
	}
	i, err := e.kinds.index(fields)
	if err != nil {
		return err
	}
	v, err := e.kinds[i].decode(name, content)
	if err != nil {
		return err
	}
	e.held[i] = append(e.held[i], v)
	return nil
}

// addAll takes over a file of everything.
func (e *Evidence) addAll(fields map[string]json.RawMessage) error {
	var head struct {
		Format string `json:"format"`
		Tool   string `json:"tool,omitempty"`
		Title  string `json:"title,omitempty"`
	}
	more := make([][]any, len(e.kinds))
	for i, k := range e.kinds {
		list := k.about().list
		content, ok := fields[list]
		if !ok {
			continue
		}
		delete(fields, list)
		var err error
		if more[i], err = k.decodeList(content); err != nil {
			return err
		}
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if err = Strictly(rest, &head); err != nil {
		return err
	}
	for i, list := range more {
		e.held[i] = append(e.held[i], list...)
	}
	e.Title, e.Tool = cmp.Or(e.Title, head.Title), cmp.Or(e.Tool, head.Tool)
	return nil
}

// Strictly decodes one JSON value without fields that v does not have, and
// refuses a value that lacks a field which is always written: read as zero, a
// number that nobody measured would look like a very good one. Errors name the
// field and never what it holds.
func Strictly(content []byte, v any) error { return strictly(content, v, "") }

// strictly is Strictly for what stands at a place in a file.
func strictly(content []byte, v any, at string) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("evidence: not what its format says: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("evidence: more follows after the end of the object")
	}
	written, err := json.Marshal(v) // whatever v is written with must have been read
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(content, &got), json.Unmarshal(written, &want)); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if missing := lacks(got, want, at); missing != "" {
		return fmt.Errorf("evidence: the file lacks %s", missing)
	}
	return nil
}

// lacks names the first field of want that got does not have, "" if none.
func lacks(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			inner, found := have[name]
			if !ok || !found {
				return at + name
			}
			if missing := lacks(inner, want[name], at+name+"."); missing != "" {
				return missing
			}
		}
	case []any:
		have, _ := got.([]any)
		for i, inner := range want {
			if i >= len(have) {
				return fmt.Sprintf("%s%d", at, i)
			}
			if missing := lacks(have[i], inner, fmt.Sprintf("%s%d.", at, i)); missing != "" {
				return missing
			}
		}
	}
	return ""
}
