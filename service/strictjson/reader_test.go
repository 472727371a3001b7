package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/service/strictjson"
)

// value reads anything, as encoding/json does with numbers left as they are
// written; the last of equal fields counts.
func value(r *strictjson.Reader) (any, error) {
	switch r.Kind() { //nolint:exhaustive // the others are read below
	case strictjson.KindObject:
		all := map[string]any{}
		return all, r.Object(func(name []byte) error {
			key := string(name)
			v, err := value(r)
			all[key] = v
			return err
		})
	case strictjson.KindArray:
		all := []any{}
		err := r.Array(func(int) error {
			v, err := value(r)
			all = append(all, v)
			return err
		})
		return all, err
	case strictjson.KindString:
		return r.String()
	case strictjson.KindNumber:
		raw, err := r.Number()
		return json.Number(raw), err
	case strictjson.KindNull:
		if r.Null() {
			return nil, nil
		}
	}
	raw, err := r.Raw()
	return string(raw) == "true", err
}

func read(data []byte, depth int) (any, error) {
	r := strictjson.Reader{Data: data, Depth: depth}
	v, err := value(&r)
	if err == nil {
		err = r.End()
	}
	return v, err
}

// FuzzReader holds the reader against encoding/json: the same messages are taken,
// and they mean the same, but for what is no UTF-8, which is refused.
func FuzzReader(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const depth = 50
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var want any
		wrong := d.Decode(&want)
		if wrong == nil {
			if _, err := d.Token(); !errors.Is(err, io.EOF) {
				wrong = errors.New("more follows")
			}
		}
		if !utf8.Valid(data) {
			wrong = errors.New("not UTF-8")
		}
		got, err := read(data, depth)
		if errors.Is(err, strictjson.ErrDepth) {
			return
		}
		if (err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("read %v, %v; encoding/json has %v, %v", got, err, want, wrong)
		}
		r := strictjson.Reader{Data: data, Depth: depth}
		raw, skipped := r.Raw()
		if skipped == nil {
			skipped = r.End()
		}
		if (skipped == nil) != (err == nil) || err == nil && !bytes.Equal(bytes.Trim(data, " \t\r\n"), raw) {
			t.Errorf("Raw gave %q, %v, after %v", raw, skipped, err)
		}
	})
}

var seeds = []string{
	`{"input": ["a", "b\n\u00e9\ud83d\ude00\ud800x\udc00\\"], "n": [1, -0.5e+3, 0, 1E9], "t": true, "f": false, "z": null, "": {}}`,
	``, ` `, `{`, `[`, `[1,]`, `{"a":1,}`, `{"a"}`, `{a:1}`, `01`, `-`, `1.`, `1e`, `.5`, `+1`, `tru`, `nul`, `"`, `"\`, `"\u12`, `"\x"`, "\"\x01\"", "\"\xff\"", "\"\xed\xa0\x80\"",
	`[] []`, `"a" 1`, "\ufeff[]", `[[[[[[]]]]]]`, `{"a":1,"a":2}`, `"\ud83d\u0041"`, `"\ud83d\ud83d\ude00"`, "1\x00", `nullx`, `n0`, `nu"a"`, `[nul1]`, `[1 2]`, "\t\r\n 7 ",
}

// TestNull: what only begins like a null is no value before another one, and may
// become a null when it is all that there is so far.
func TestNull(t *testing.T) {
	for data, want := range map[string]error{"n5": strictjson.ErrSyntax, "nul5": strictjson.ErrSyntax, "nul": strictjson.ErrEnd, "n": strictjson.ErrEnd, "tru": strictjson.ErrEnd, "true": strictjson.ErrKind} {
		r := strictjson.Reader{Data: []byte(data), Depth: 1}
		if r.Null() {
			t.Errorf("%s is taken for a null", data)
		}
		if n, err := r.Int(); !errors.Is(err, want) {
			t.Errorf("%s as a number: %d, %v, want %v", data, n, err, want)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, tt := range []struct {
		data string
		want error
	}{
		{`[[[]]]`, nil},
		{`[[{}], [], [[]]]`, nil},
		{`[[[[]]]]`, strictjson.ErrDepth},
		{`{"a":{"b":{"c":{}}}}`, strictjson.ErrDepth},
		{strings.Repeat("[", 1<<20), strictjson.ErrDepth},
		{strings.Repeat(`{"a":`, 1<<20), strictjson.ErrDepth},
	} {
		r := strictjson.Reader{Data: []byte(tt.data), Depth: 3}
		if _, err := r.Raw(); !errors.Is(err, tt.want) {
			t.Errorf("%.20s: %v, want %v", tt.data, err, tt.want)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		data string
		read func(r *strictjson.Reader) error
		want error
	}{
		{`7`, func(r *strictjson.Reader) error { _, err := r.String(); return err }, strictjson.ErrKind},
		{`"7"`, func(r *strictjson.Reader) error { _, err := r.Int(); return err }, strictjson.ErrKind},
		{`7.0`, func(r *strictjson.Reader) error { _, err := r.Int(); return err }, strictjson.ErrKind},
		{`99999999999999999999`, func(r *strictjson.Reader) error { _, err := r.Int(); return err }, strictjson.ErrKind},
		{`[]`, func(r *strictjson.Reader) error { return r.Object(nil) }, strictjson.ErrKind},
		{`null`, func(r *strictjson.Reader) error { return r.Array(nil) }, strictjson.ErrKind},
		{`?`, func(r *strictjson.Reader) error { return r.Array(nil) }, strictjson.ErrSyntax},
		{``, func(r *strictjson.Reader) error { _, err := r.String(); return err }, strictjson.ErrEnd},
		{"\"\xff\"", func(r *strictjson.Reader) error { _, err := r.String(); return err }, strictjson.ErrUTF8},
	} {
		if err := tt.read(&strictjson.Reader{Data: []byte(tt.data), Depth: 1}); !errors.Is(err, tt.want) || strings.Contains(err.Error(), "7") && tt.data != `99999999999999999999` {
			t.Errorf("%s: %v, want %v", tt.data, err, tt.want)
		}
	}
}

// TestBeginnings: every beginning of a message ends too early, and is not wrong in
// any other way.
func TestBeginnings(t *testing.T) {
	const whole = `{"a": ["é\u00e9\n😀", -1.5e+3, true, false, null, {}], "b": {"c": []}}`
	if _, err := read([]byte(whole), 9); err != nil {
		t.Fatal(err)
	}
	for i := range len(whole) {
		if _, err := read([]byte(whole[:i]), 9); !errors.Is(err, strictjson.ErrEnd) {
			t.Errorf("%q: %v, want ErrEnd", whole[:i], err)
		}
	}
}

// TestNothingTaken: to look at a megabyte takes no memory, whatever is in it.
func TestNothingTaken(t *testing.T) {
	for _, part := range []string{`"",`, `[],`, `{"a":0},`, `9999999999999999999999999999e99999,`, `"\u0041",`, `"aé",`} {
		data := []byte("[" + strings.TrimSuffix(strings.Repeat(part, 1<<20/len(part)), ",") + "]")
		if n := testing.AllocsPerRun(3, func() {
			r := strictjson.Reader{Data: data, Depth: 2}
			if _, err := r.Raw(); err != nil {
				t.Fatal(err)
			}
		}); n > 20 {
			t.Errorf("a megabyte of %s takes %v allocations, want a handful", part, n)
		}
	}
}

func BenchmarkTexts(b *testing.B) {
	data := []byte(`{"input": "the staff of house 5 were kind on day 7 and the food was good", "user": "u5", "encoding_format": "base64"}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := strictjson.Reader{Data: data, Depth: 2}
		if err := r.Object(func([]byte) error { _, err := r.String(); return err }); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleReader() {
	r := strictjson.Reader{Data: []byte(`{"input": ["a", "b", "c"]}`), Depth: 2}
	err := r.Object(func(name []byte) error {
		return r.Array(func(i int) error {
			if i == 2 {
				return fmt.Errorf("%s has more than 2 elements", name)
			}
			_, err := r.String()
			return err
		})
	})
	fmt.Println(err)
	// Output: input has more than 2 elements
}
