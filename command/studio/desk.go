package studio

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"sotto/learn/experiment"
)

// source is a file to work with.
type source struct {
	id     string
	name   string // as the person knows it, and as commands name it
	path   string // where it lies
	size   int64  // of a copy; 0 if the file is the person's own
	sample bool   // that everybody has
}

// desk holds the files that were given.
type desk struct {
	mu      sync.Mutex // guards all
	sources map[string]source
	first   string // that was given when the studio started; "" for none
}

// find returns the file of a name.
func (d *desk) find(id string) (source, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.sources[id]
	if !ok {
		return source{}, &Problem{http.StatusNotFound, "this file is not known any more: drop it again"}
	}
	return s, nil
}

// add keeps data under a name of its own.
func (d *desk) add(s source) source {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sources == nil {
		d.sources = map[string]source{}
	}
	s.id = rand.Text()
	d.sources[s.id] = s
	return s
}

// held is how many bytes of copies there are.
func (d *desk) held() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var sum int64
	for _, s := range d.sources {
		sum += s.size
	}
	return sum
}

// File is a file that the person has given.
type File struct {
	Name string // as the person knows it, and as commands name it
	Path string // where it lies, which is no word for the page
}

// File returns the file that the page calls source.
func (s *Studio) File(source string) (File, error) {
	f, err := s.desk.find(source)
	return File{f.name, f.path}, err
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
	spec := experiment.Spec{In: experiment.Path(src.path), Label: c.Label, Attribute: c.Attribute}
	spec.Text, spec.Split, spec.Person = c.Text, c.Split, c.Person
	return spec, nil
}

// Flags returns the flags that say what a spec of this choice says, as a person
// would type them: what is the default is left out, and a file is named as the
// person knows it.
func (s *Studio) Flags(c Choice, spec experiment.Spec) ([]string, error) {
	src, err := s.desk.find(c.Source)
	if err != nil {
		return nil, err
	}
	spec = spec.Said()
	spec.In = experiment.Path(src.name)
	var usual experiment.Spec
	defaults := usual.Fields()
	var args []string
	for i, f := range spec.Fields() {
		defaults[i].SetDefault()
		if !f.Given() || reflect.DeepEqual(f.Value, defaults[i].Value) {
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
