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

	standard string // its default; "" means the zero value
	ofMethod bool   // refused where no method reads it
}

// Fields lists the settings of s in their order.
func (s *Spec) Fields() []Field {
	v := reflect.ValueOf(s).Elem()
	all := make([]Field, v.NumField())
	for i := range all {
		tag := v.Type().Field(i).Tag
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		all[i] = Field{name, tag.Get("flag"), tag.Get("help"), v.Field(i).Addr().Interface(), tag.Get("default"), tag.Get("of") == "method"}
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
