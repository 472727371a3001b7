package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sotto/dp"
	"sotto/experiment"
	"sotto/internal/release"
)

// maxFile bounds what is read into memory: results with pictures take a few
// megabytes.
const maxFile = 256 << 20

// Load reads files that sotto's commands have stored, and folders that "sotto
// train --out" or "sotto demo" made, into one. It refuses a file that is not
// one of them, or has a field that is not known.
func Load(paths ...string) (*Evidence, error) {
	if len(paths) == 0 {
		return nil, errors.New("evidence: no file is named, must be at least one")
	}
	all := &Evidence{Format: Format}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, experiment.ResultsFile)
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("evidence: %w", err)
		}
		err = all.Add(filepath.Base(path), f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
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
	more, err := read(name, content)
	if err != nil {
		return err
	}
	if err := more.check(); err != nil {
		return err
	}
	if e.Title == "" {
		e.Title = more.Title
	}
	if e.Tool == "" {
		e.Tool = more.Tool
	}
	e.Results = append(e.Results, more.Results...)
	e.Attacks = append(e.Attacks, more.Attacks...)
	e.Attempts = append(e.Attempts, more.Attempts...)
	e.Fairness = append(e.Fairness, more.Fairness...)
	e.Audits = append(e.Audits, more.Audits...)
	e.Releases = append(e.Releases, more.Releases...)
	e.Tables = append(e.Tables, more.Tables...)
	e.Pictures = append(e.Pictures, more.Pictures...)
	return nil
}

// read finds out what a file is, and decodes it.
func read(name string, content []byte) (*Evidence, error) {
	var head struct {
		Format    *string          `json:"format"`
		Guarantee *json.RawMessage `json:"guarantee"` // of a record by "sotto privatize"
		Private   *bool            `json:"private"`   // of one by "sotto encode"
	}
	if err := json.Unmarshal(content, &head); err != nil {
		return nil, errors.New("evidence: not a JSON object, must be a file that sotto stored")
	}
	e := &Evidence{}
	switch {
	case head.Format != nil:
		return e, e.decode(*head.Format, content)
	case head.Private != nil:
		r, err := readEncoding(name, content)
		e.Releases = append(e.Releases, r)
		return e, err
	case head.Guarantee != nil:
		r := &Release{Name: name}
		e.Releases = append(e.Releases, r)
		return e, strictly(content, &r.Record)
	}
	return nil, errors.New("evidence: the file has no format, must be one that sotto stored")
}

func (e *Evidence) decode(format string, content []byte) error {
	switch format {
	case Format:
		return strictly(content, e)
	case ResultsFormat:
		return grow(&e.Results, content)
	case AttackFormat:
		return grow(&e.Attacks, content)
	case AttemptFormat:
		return grow(&e.Attempts, content)
	case FairnessFormat:
		return grow(&e.Fairness, content)
	case AuditFormat:
		return grow(&e.Audits, content)
	case TableFormat:
		return grow(&e.Tables, content)
	}
	return fmt.Errorf("evidence: format is %.40q, must be one that this version knows, such as %s", format, ResultsFormat)
}

// grow appends what content holds.
func grow[T any](list *[]*T, content []byte) error {
	v := new(T)
	*list = append(*list, v)
	return strictly(content, v)
}

// readEncoding reads the record of "sotto encode". Raw vectors are no release.
func readEncoding(name string, content []byte) (*Release, error) {
	var record struct {
		Warning string          `json:"warning,omitempty"`
		Private bool            `json:"private"`
		Encoder string          `json:"encoder"`
		Dim     int             `json:"dim"`
		Dropout float64         `json:"dropout,omitempty"`
		Release *release.Record `json:"release,omitempty"`
		Word    *dp.Guarantee   `json:"word_level,omitempty"`
	}
	if err := strictly(content, &record); err != nil {
		return nil, err
	}
	if record.Release == nil {
		return nil, errors.New("evidence: these vectors are raw, must be released before there is anything to report")
	}
	return &Release{Name: name, Record: *record.Release, Word: record.Word}, nil
}

// strictly decodes one JSON value without fields that v does not have. Errors
// name the field and never what it holds.
func strictly(content []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("evidence: not what its format says: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("evidence: more follows after the end of the object")
	}
	return complete(content, v)
}

// complete refuses a value that lacks a field which is always written: read as
// zero, a number that nobody measured would look like a very good one. Whatever
// v is written with must have been read.
func complete(content []byte, v any) error {
	written, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(content, &got), json.Unmarshal(written, &want)); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if missing := lacks(got, want, ""); missing != "" {
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
