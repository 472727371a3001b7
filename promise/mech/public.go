package mech

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Public returns as JSON the public vectors of p, such as the centres of cells, which
// JSON of p itself leaves out because they are large; nil if there are none.
func (p Params) Public() ([]byte, error) {
	given := valuesOf(p.Own)
	maps.DeleteFunc(given, func(name string, _ any) bool { _, ok := hidden(name); return !ok })
	if len(given) == 0 {
		return nil, nil
	}
	return json.Marshal(given)
}

// WithPublic returns p with what [Params.Public] returned of it.
func (p Params) WithPublic(content []byte) (Params, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(content, &fields); err != nil {
		return p, fmt.Errorf("mech: public vectors: %w", err)
	}
	given := Given{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f, ok := hidden(name)
		if !ok || !Uses(p.Mechanism, name) {
			return p, fmt.Errorf("mech: public vectors are %q, must be what %s takes", name, p.Mechanism)
		}
		v := reflect.New(f.Type)
		if err := json.Unmarshal(fields[name], v.Interface()); err != nil {
			return p, fmt.Errorf("mech: public vectors %s: %w", name, err)
		}
		given[name] = v.Elem().Interface()
	}
	return p.With(given), nil
}

// hidden returns the parameter of that name if JSON leaves it out.
func hidden(name string) (Parameter, bool) {
	all := Parameters()
	at := slices.IndexFunc(all, func(f Parameter) bool { return f.Name == name && f.Hidden })
	if at < 0 {
		return Parameter{}, false
	}
	return all[at], true
}
