package studio

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"sotto/experiment"
)

// sample is the data set that everybody has.
const sample = "reviews"

// source is data to work with.
type source struct {
	id   string
	name string // as the person knows it, and as commands name it
	path string // where it lies; "" for the sample
}

// desk holds the data that was given.
type desk struct {
	mu      sync.Mutex // guards all
	sources map[string]source
}

// find returns the data of a name.
func (d *desk) find(id string) (source, error) {
	if id == sample {
		return source{id: sample, name: sample}, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.sources[id]
	if !ok {
		return source{}, &Problem{http.StatusNotFound, "this file is not known any more: drop it again"}
	}
	return s, nil
}

// Choice is what the person has chosen: data, and what its columns are for.
type Choice struct {
	Source    string `json:"source"`
	Text      string `json:"text,omitempty"`
	Label     string `json:"label,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	Split     string `json:"split,omitempty"`
	Person    string `json:"person,omitempty"`
}

// Spec returns what a choice asks for, to which the caller adds a method.
func (s *Studio) Spec(c Choice) (experiment.Spec, error) {
	src, err := s.desk.find(c.Source)
	if err != nil {
		return experiment.Spec{}, err
	}
	if src.path == "" {
		return experiment.Spec{Data: sample, Label: c.Label, Attribute: c.Attribute}, nil
	}
	return experiment.Spec{}, &Problem{http.StatusNotImplemented, "files cannot be worked with yet"}
}

// Flags returns the flags that say what a spec says, as a person would type them:
// what is the default is left out, and a file is named as the person knows it.
func (s *Studio) Flags(c Choice, spec experiment.Spec) ([]string, error) {
	if _, err := s.desk.find(c.Source); err != nil {
		return nil, err
	}
	var defaults experiment.Spec
	fields := defaults.Fields()
	var args []string
	for i, f := range spec.Fields() {
		fields[i].SetDefault()
		keep := f.Flag == "data" // which says more than it costs
		if !f.Given() || !keep && reflect.DeepEqual(f.Value, fields[i].Value) {
			continue
		}
		value, err := written(reflect.ValueOf(f.Value).Elem())
		if err != nil {
			return nil, err
		}
		args = append(args, "--"+f.Flag, value)
	}
	return args, nil
}

// written is a setting as its flag reads it.
func written(v reflect.Value) (string, error) {
	switch v.Kind() {
	case reflect.String:
		return v.String(), nil
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10), nil
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), nil
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64), nil
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			var err error
			if parts[i], err = written(v.Index(i)); err != nil {
				return "", err
			}
		}
		return strings.Join(parts, ","), nil
	default:
		return "", fmt.Errorf("studio: a setting is a %v, which no flag can say", v.Kind())
	}
}
