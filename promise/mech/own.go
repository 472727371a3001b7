package mech

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Given holds own parameters by their names in JSON, for those who do not know
// their type. A zero counts as absent.
type Given map[string]any

// Parameter describes an own parameter of one mechanism or of several. It comes
// from the tags of a field, of which json or name and help must be there, and
// default and assume may be.
type Parameter struct {
	Name   string
	Help   string // what it is, of which mechanisms, and its default
	Assume string // what [Params.Assume] takes for it; "" for nothing
	Type   reflect.Type
	Hidden bool // from JSON: too large for it

	byDefault string
}

// fieldsOf lists the parameters in a struct, in the order of its fields.
func fieldsOf(own any) []Parameter {
	if own == nil {
		return nil
	}
	var all []Parameter
	for f := range reflect.TypeOf(own).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := Parameter{Name: name, Help: f.Tag.Get("help"), Assume: f.Tag.Get("assume"), Type: f.Type, byDefault: f.Tag.Get("default"), Hidden: name == "-"}
		if p.Hidden {
			p.Name = f.Tag.Get("name")
		}
		all = append(all, p)
	}
	return all
}

// Parameters lists the own parameters of all mechanisms, each once. Their help
// names the mechanisms.
func Parameters() []Parameter {
	var all []Parameter
	last := map[string]string{} // what was last said of each
	for _, k := range Kinds() {
		for _, f := range fieldsOf(k.Own) {
			i := slices.IndexFunc(all, func(p Parameter) bool { return p.Name == f.Name })
			switch {
			case i < 0:
				all = append(all, f)
				all[len(all)-1].Help += " of " + k.Name
			case last[f.Name] == f.Help:
				all[i].Help += ", " + k.Name
			default:
				all[i].Help += "; " + f.Help + " of " + k.Name
			}
			last[f.Name] = f.Help
		}
	}
	for i, p := range all {
		all[i].Help += " (default" + cmp.Or(p.byDefault, ": none") + ")"
	}
	return all
}

// valuesOf returns own parameters that are not zero, by name.
func valuesOf(own any) Given {
	given := Given{}
	if g, ok := own.(Given); ok {
		maps.Copy(given, g)
	} else {
		for i, f := range fieldsOf(own) {
			given[f.Name] = reflect.ValueOf(own).Field(i).Interface()
		}
	}
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil || reflect.ValueOf(v).IsZero() })
	return given
}

// refuse reports the first parameter that the mechanism does not take.
func (k Kind) refuse(given Given) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !k.uses(name) {
			return fmt.Errorf("mech: %s takes no parameter %q", k.Name, name)
		}
	}
	return nil
}

// typed returns own parameters in the type of another value, unless that is nil.
// What has no field there is left out.
func typed(own, like any) (any, error) {
	if like == nil || reflect.TypeOf(own) == reflect.TypeOf(like) {
		return own, nil
	}
	given, to := valuesOf(own), reflect.New(reflect.TypeOf(like)).Elem()
	for i, f := range fieldsOf(like) {
		v, ok := given[f.Name]
		if ok && reflect.TypeOf(v) != f.Type {
			return nil, fmt.Errorf("mech: %s is of type %T, must be of type %v", f.Name, v, f.Type)
		}
		if ok {
			to.Field(i).Set(reflect.ValueOf(v))
		}
	}
	return to.Interface(), nil
}

// With returns p with own parameters set, in the mechanism's type if it takes
// them all. [New] refuses p otherwise.
func (p Params) With(given Given) Params {
	all := valuesOf(p.Own)
	maps.Copy(all, valuesOf(given))
	p.Own = all
	if len(all) == 0 {
		p.Own = nil
	}
	if k := kindOf(p.Mechanism); k.refuse(all) == nil {
		if own, err := typed(p.Own, k.Own); err == nil {
			p.Own = own
		}
	}
	return p
}

// OwnOf returns the own parameters of p in that type, as far as it has them.
func OwnOf[Own any](p Params) (own Own) {
	if of, err := typed(p.Own, own); err == nil {
		own = of.(Own)
	}
	return own
}

// Value returns the own parameter of that name, nil if there is none.
func (p Params) Value(name string) any { return valuesOf(p.Own)[name] }

// Sizes returns how many numbers an input and a release have as far as p says
// so, in dim or in own parameters called input_dim and output_dim, and 0 else.
func (p Params) Sizes() (in, out int) {
	in, _ = p.Value("input_dim").(int)
	out, _ = p.Value("output_dim").(int)
	return max(in, p.Dim), out
}

// Width returns how many numbers an input has as far as p says so, and 0 else: that of
// [Params.Sizes], and one where the mechanism knows no size, since its input is a label.
func (p Params) Width() int {
	in, _ := p.Sizes()
	if k := kindOf(p.Mechanism); in == 0 && k.Name != "" && !k.uses("dim") && !k.uses("input_dim") {
		return 1
	}
	return in
}

// Clone returns p with lists of its own.
func (p Params) Clone() Params {
	given := valuesOf(p.Own)
	for name, v := range given {
		if list, ok := v.([]float64); ok {
			given[name] = slices.Clone(list)
		}
	}
	return p.With(given)
}

// shared is what all mechanisms have, without the methods of Params.
type shared Params

// MarshalJSON implements [json.Marshaler].
func (p Params) MarshalJSON() ([]byte, error) { return p.MarshalBeside() }

// MarshalBeside returns one JSON object with the parameters and the fields of
// the given structs.
func (p Params) MarshalBeside(more ...any) ([]byte, error) {
	if given, ok := p.Own.(Given); ok {
		given = valuesOf(given)
		maps.DeleteFunc(given, func(name string, _ any) bool {
			_, left := hidden(name)
			return left
		})
		p.Own = given
	}
	all := []byte{'{'}
	for _, part := range append([]any{shared(p), p.Own}, more...) {
		if part == nil {
			continue
		}
		fields, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		if len(all) > 1 && len(fields) > len("{}") {
			all = append(all, ',')
		}
		all = append(all, fields[1:len(fields)-1]...)
	}
	return append(all, '}'), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. A field that is the parameter of
// no mechanism is an error; one that is another mechanism's is one in [New].
func (p *Params) UnmarshalJSON(data []byte) error { return p.UnmarshalBeside(data, nil) }

// UnmarshalBeside reads from one JSON object the parameters and the fields of
// the struct to which rest points, if it is not nil.
func (p *Params) UnmarshalBeside(data []byte, rest any) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	var all shared
	for _, part := range []any{&all, rest} {
		if part == nil {
			continue
		}
		if err := json.Unmarshal(data, part); err != nil {
			return err
		}
		for f := range reflect.TypeOf(part).Elem().Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			delete(fields, name)
		}
	}
	given := Given{}
	for _, f := range Parameters() {
		if raw, ok := fields[f.Name]; ok && !f.Hidden {
			v := reflect.New(f.Type)
			if err := json.Unmarshal(raw, v.Interface()); err != nil {
				return err
			}
			given[f.Name] = v.Elem().Interface()
			delete(fields, f.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		return fmt.Errorf("json: unknown field %q", name)
	}
	*p = Params(all).With(given)
	return nil
}
