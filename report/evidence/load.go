package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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

// Add reads one file, whose name is only shown.
func (e *Evidence) Add(name string, r io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if len(content) > maxFile {
		return fmt.Errorf("evidence: the file is larger than %d MiB", maxFile>>20)
	}
	var head struct {
		Format    *string          `json:"format"`
		Guarantee *json.RawMessage `json:"guarantee"` // of a record by "sotto privatize"
		Private   *bool            `json:"private"`   // of one by "sotto encode"
	}
	if err := json.Unmarshal(content, &head); err != nil {
		return errors.New("evidence: not a JSON object, must be a file that sotto stored")
	}
	switch {
	case head.Format != nil:
		return e.add(*head.Format, content)
	case head.Private != nil:
		return e.addEncoding(name, content)
	case head.Guarantee != nil:
		r := &Release{Name: name}
		if err := strictly(content, &r.Record); err != nil {
			return err
		}
		return e.addRelease(r)
	}
	return errors.New("evidence: the file has no format, must be one that sotto stored")
}

func (e *Evidence) add(format string, content []byte) error {
	switch format {
	case Format:
		return e.addAll(content)
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
	}
	return fmt.Errorf("evidence: format is %.40q, must be one that this version knows, such as %s", format, ResultsFormat)
}

// grow appends what content holds.
func grow[T any](list *[]*T, content []byte) error {
	v := new(T)
	if err := strictly(content, v); err != nil {
		return err
	}
	*list = append(*list, v)
	return nil
}

func (e *Evidence) addAll(content []byte) error {
	var more Evidence
	if err := strictly(content, &more); err != nil {
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
	e.Pictures = append(e.Pictures, more.Pictures...)
	for _, r := range more.Releases {
		if err := e.addRelease(r); err != nil {
			return err
		}
	}
	return nil
}

// addEncoding reads the record of "sotto encode". Raw vectors are no release.
func (e *Evidence) addEncoding(name string, content []byte) error {
	var record struct {
		Warning string          `json:"warning"`
		Private bool            `json:"private"`
		Encoder string          `json:"encoder"`
		Dim     int             `json:"dim"`
		Dropout float64         `json:"dropout"`
		Release *release.Record `json:"release"`
		Word    *dp.Guarantee   `json:"word_level"`
	}
	if err := strictly(content, &record); err != nil {
		return err
	}
	if record.Release == nil || !record.Private {
		return errors.New("evidence: these vectors are raw, must be released before there is anything to report")
	}
	return e.addRelease(&Release{Name: name, Record: *record.Release, Word: record.Word})
}

func (e *Evidence) addRelease(r *Release) error {
	if err := r.Guarantee.Validate(); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	e.Releases = append(e.Releases, r)
	return nil
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
	return nil
}
