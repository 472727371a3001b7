package experiment

import (
	"fmt"
	"reflect"
	"strings"

	"sotto/data/own"
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

// Arguments are the flags that set s: the data, and where it differs from the
// defaults. A file of one's own is called FILE, because its place is kept nowhere.
func (s Spec) Arguments() []string {
	all := []string{"--data", s.Data}
	if s.ofFile() {
		all = []string{"--in", "FILE"}
		if s.Data != own.Name {
			all = append(all, "--name", s.Data)
		}
		if len(s.Attributes) == 1 && s.Attributes[0] == s.Attribute {
			s.Attributes = nil // --attribute says it
		}
	}
	s = s.Said()
	s.In, s.Data = "", ""
	for _, f := range s.Fields() {
		v := reflect.ValueOf(f.Value).Elem()
		value := fmt.Sprint(v)
		if v.Kind() == reflect.Slice {
			each := make([]string, v.Len())
			for i := range each {
				each[i] = fmt.Sprint(v.Index(i))
			}
			value = strings.Join(each, ",")
		}
		switch {
		case !f.Given() || f.Flag == "" || f.standard != "" && value == f.standard:
		case v.Kind() == reflect.Bool:
			all = append(all, "--"+f.Flag)
		default:
			all = append(all, "--"+f.Flag, value)
		}
	}
	return all
}
