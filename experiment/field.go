package experiment

import (
	"fmt"
	"reflect"
	"strings"
)

// Field is a setting of a [Spec], as the struct's tags say.
type Field struct {
	Name  string // in JSON
	Flag  string // of the command
	Help  string // of the flag
	Value any    // points to it

	OfFile bool // it says something of the columns of [Spec.In], and nothing without

	standard string // its default; "" means the zero value
	ofMethod bool   // refused where no method reads it
}

// Fields lists the settings of s in their order.
func (s *Spec) Fields() []Field { return fieldsOf(reflect.ValueOf(s).Elem(), false) }

func fieldsOf(v reflect.Value, ofFile bool) []Field {
	var all []Field
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous { // the layout of a file
			all = append(all, fieldsOf(v.Field(i), true)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, Field{name, f.Tag.Get("flag"), f.Tag.Get("help"), v.Field(i).Addr().Interface(), ofFile, f.Tag.Get("default"), f.Tag.Get("of") == "method"})
	}
	return all
}

// Given reports whether the setting has another value than zero; an empty list
// is given, and nil is not.
func (f Field) Given() bool { return !reflect.ValueOf(f.Value).Elem().IsZero() }

// SetDefault sets the setting to its default.
func (f Field) SetDefault() {
	if f.standard == "" {
		return
	}
	if _, err := fmt.Sscan(f.standard, f.Value); err != nil {
		panic(err) // a tag of this package
	}
}
