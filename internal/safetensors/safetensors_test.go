package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sotto/internal/safetensors"
)

// file builds a file from a header and its data.
func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// TestBytes holds the bytes of a small file, which are those that the reference
// implementation writes in its own test.
func TestBytes(t *testing.T) {
	f := &safetensors.File{Tensors: []safetensors.Tensor{
		{Name: "attn.0", Shape: []int{1, 2, 3}, Data: []float32{0, 1, 2, 3, 4, 5}},
	}}
	want := file(`{"attn.0":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}}`,
		0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64, 0, 0, 160, 64)
	var got bytes.Buffer
	if err := safetensors.Encode(&got, f); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("Encode wrote\n%q, want\n%q", got.Bytes(), want)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		name string
		file safetensors.File
	}{
		{name: "nothing"},
		{name: "metadata alone", file: safetensors.File{Metadata: map[string]string{"b": "<&>\n\"\u2028", "a": "", "": "x"}}},
		{name: "scalar", file: safetensors.File{Tensors: []safetensors.Tensor{{Name: "s", Shape: []int{}, Data: []float32{-0.5}}}}},
		{name: "empty tensors side by side", file: safetensors.File{Tensors: []safetensors.Tensor{
			{Name: "a", Shape: []int{0, math.MaxInt}, Data: []float32{}},
			{Name: "b", Shape: []int{1}, Data: []float32{math.MaxFloat32}},
			{Name: "c", Shape: []int{0}, Data: []float32{}},
		}}},
		{name: "more than a piece", file: safetensors.File{
			Tensors:  []safetensors.Tensor{{Name: "big", Shape: []int{3, 10_001}, Data: ramp(30_003)}, {Name: "ü", Shape: []int{2}, Data: ramp(2)}},
			Metadata: map[string]string{"format": "pt"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.safetensors")
			if err := safetensors.Write(path, &tt.file); err != nil {
				t.Fatal(err)
			}
			got, err := safetensors.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, tt.file) {
				t.Errorf("read %+v, want %+v", *got, tt.file)
			}
			content, _ := os.ReadFile(path)
			if n := 8 + binary.LittleEndian.Uint64(content); n%8 != 0 {
				t.Errorf("data begins at byte %d, want a multiple of 8", n)
			}
		})
	}
}

func ramp(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i) / 8
	}
	return v
}

// TestOrder checks that the order of tensors does not change the bytes, and
// that Encode leaves its argument alone.
func TestOrder(t *testing.T) {
	a := safetensors.Tensor{Name: "a", Shape: []int{1}, Data: []float32{1}}
	b := safetensors.Tensor{Name: "b", Shape: []int{2}, Data: []float32{2, 3}}
	var one, two bytes.Buffer
	f := &safetensors.File{Tensors: []safetensors.Tensor{b, a}}
	if err := errors.Join(safetensors.Encode(&one, f), safetensors.Encode(&two, &safetensors.File{Tensors: []safetensors.Tensor{a, b}})); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("one order gives %q, the other %q", one.Bytes(), two.Bytes())
	}
	if f.Tensors[0].Name != "b" {
		t.Error("Encode sorted the tensors of its argument")
	}
	got, err := safetensors.Decode(one.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if tensor, ok := got.Tensor("b"); !ok || !reflect.DeepEqual(tensor, b) {
		t.Errorf("Tensor(b) = %v, %v, want %v", tensor, ok, b)
	}
	if _, ok := got.Tensor("c"); ok {
		t.Error("Tensor(c) is there, want it absent")
	}
}

func TestTypes(t *testing.T) {
	f64 := func(v ...float64) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		return b
	}
	for _, tt := range []struct {
		dtype string
		data  []byte
		want  []float32
	}{
		{"F32", []byte{0, 0, 192, 191}, []float32{-1.5}},
		{"BF16", []byte{192, 191, 1, 0}, []float32{-1.5, 0x1p-133}},
		{"F16", []byte{0, 190, 1, 0, 255, 131, 255, 123, 0, 4}, []float32{-1.5, 0x1p-24, -1023 * 0x1p-24, 65504, 0x1p-14}},
		{"F64", f64(0.1, -math.MaxFloat32), []float32{0.1, -math.MaxFloat32}},
	} {
		t.Run(tt.dtype, func(t *testing.T) {
			head := fmt.Sprintf(` "shape" : [%d], "dtype":"%s","data_offsets":[0,%d]`, len(tt.want), tt.dtype, len(tt.data))
			f, err := safetensors.Decode(file(`{"x":{`+head+"}}  ", tt.data...))
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Tensors[0].Data; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("read %v, want %v", got, tt.want)
			}
		})
	}
	for _, tt := range []struct {
		dtype string
		data  []byte
		want  string
	}{
		{"F32", []byte{0, 0, 128, 127}, "NaN or infinite"},
		{"F32", []byte{1, 0, 128, 255}, "NaN or infinite"},
		{"BF16", []byte{128, 127}, "NaN or infinite"},
		{"F16", []byte{0, 252}, "NaN or infinite"},
		{"F16", []byte{1, 124}, "NaN or infinite"},
		{"F64", f64(math.NaN()), "NaN or infinite"},
		{"F64", f64(1e39), "outside the range of float32"},
		{"I64", f64(1), `unsupported: tensor "x" has dtype "I64"`},
	} {
		t.Run(tt.dtype+" "+tt.want, func(t *testing.T) {
			_, err := safetensors.Decode(file(fmt.Sprintf(`{"x":{"dtype":"%s","shape":[1],"data_offsets":[0,%d]}}`, tt.dtype, len(tt.data)), tt.data...))
			wantError(t, err, tt.want)
		})
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "safetensors: ") {
		t.Errorf("error = %v, want one of safetensors with %q", err, want)
	}
}

func TestDecodeRefuses(t *testing.T) {
	const x = `"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	tensor := func(name, shape string, begin, end int64) string {
		return fmt.Sprintf(`"%s":{"dtype":"F32","shape":%s,"data_offsets":[%d,%d]}`, name, shape, begin, end)
	}
	four := []byte{0, 0, 0, 0}
	long := binary.LittleEndian.AppendUint64(nil, 100_000_001)
	for _, tt := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "truncated: it holds 0 bytes"},
		{"seven bytes", file("")[:7], "truncated: it holds 7 bytes"},
		{"no header", file(""), "truncated: its header is empty"},
		{"header of nothing", file("", '{'), "foreign: not a safetensors file"},
		{"header beyond the end", file("{" + x + "}")[:20], "truncated: it holds 12 bytes after the first 8, its header alone has 54"},
		{"header too long", append(long, '{'), "foreign: not a safetensors file: its header would have 100000001 bytes"},
		{"zip", []byte("PK\x03\x04 an archive of weights"), "foreign: not a safetensors file"},
		{"short text", []byte("\x09\x00\x00\x00\x00\x00\x00\x00weights"), "foreign: not a safetensors file: its header does not begin"},
		{"not UTF-8", file("{\"\xff\":{}}"), "damaged: header is not UTF-8"},
		{"bad JSON", file(`{"x" 1}`), "no JSON at byte"},
		{"no end", file(`{` + x), "no JSON at byte"},
		{"text after the header", file(`{} {}`), "text follows its closing brace"},
		{"array", file(`{"x":[]}`), `"{" was expected`},
		{"empty name", file(`{"":{}}`), "a tensor has no name"},
		{"same name twice", file("{"+x+","+x+"}", four...), `the name "x" occurs twice`},
		{"same name in disguise", file("{"+x+`,"\u0078":{}}`, four...), `the name "x" occurs twice`},
		{"metadata twice", file(`{"__metadata__":{},"__metadata__":{}}`), "occurs twice"},
		{"key of metadata twice", file(`{"__metadata__":{"a":"b","a":"b"}}`), "a key of the metadata occurs twice"},
		{"metadata of numbers", file(`{"__metadata__":{"a":1}}`), "a string was expected"},
		{"unknown key", file(`{"x":{"strides":[1]}}`), `key "strides" is unknown or occurs twice`},
		{"other case", file(`{"x":{"Shape":[1]}}`), `key "Shape" is unknown`},
		{"key twice", file(`{"x":{"shape":[],"shape":[1]}}`), `key "shape" is unknown or occurs twice`},
		{"lacks a key", file(`{"x":{"dtype":"F32","shape":[1]}}`), "lacks one of dtype, shape and data_offsets"},
		{"dtype is a number", file(`{"x":{"dtype":32}}`), "a string was expected"},
		{"negative shape", file("{"+tensor("x", "[-1]", 0, 4)+"}", four...), "shape: an element is not a whole number"},
		{"fraction", file("{"+tensor("x", "[1.0]", 0, 4)+"}", four...), "shape: an element is not a whole number"},
		{"shape of strings", file("{"+tensor("x", `["1"]`, 0, 4)+"}", four...), "shape: an element is not a whole number"},
		{"shape beyond 64 bits", file("{"+tensor("x", "[9223372036854775808]", 0, 4)+"}", four...), "shape: an element is not"},
		{"product beyond 64 bits", file("{"+tensor("x", "[2147483647,2147483647,2147483647,2]", 0, 4)+"}", four...), "not what its shape"},
		{"bytes beyond 64 bits", file("{"+tensor("x", "[2147483647,2147483647,2,2]", 0, 4)+"}", four...), "not what its shape"},
		{"product beyond 64 bits without data", file("{" + tensor("x", "[1073741824,1073741824,16]", 0, 0) + "}"), "not what its shape"},
		{"bytes beyond 64 bits without data", file("{" + tensor("x", "[1073741824,1073741824,4]", 0, 0) + "}"), "not what its shape"},
		{"too many dimensions", file("{"+tensor("x", "["+strings.Repeat("1,", 32)+"1]", 0, 4)+"}", four...), "shape: it has more than 32 elements"},
		{"three offsets", file(`{"x":{"data_offsets":[0,1,2]}}`), "data_offsets: it has more than 2 elements"},
		{"one offset", file(`{"x":{"data_offsets":[0]}}`), "data_offsets has 1 numbers, must have 2"},
		{"end before begin", file("{"+tensor("x", "[1]", 4, 0)+"}", four...), "its data begins at 4 and ends at 0"},
		{"hole at the start", file("{"+tensor("x", "[1]", 4, 8)+"}", make([]byte, 8)...), "leaves a hole after 0"},
		{"hole between", file("{"+x+","+tensor("y", "[1]", 8, 12)+"}", make([]byte, 12)...), `tensor "y": its data begins at 8, which leaves a hole after 4`},
		{"overlap", file("{"+x+","+tensor("y", "[1]", 2, 6)+"}", make([]byte, 6)...), `tensor "y": its data begins at 2, before that of another tensor ends at 4`},
		{"same data twice", file("{"+x+","+tensor("y", "[1]", 0, 4)+"}", four...), "before that of another"},
		{"size does not match", file("{"+tensor("x", "[2]", 0, 4)+"}", four...), "its data has 4 bytes, which is not what its shape and type F32 need"},
		{"data cut off", file("{"+x+"}", 0, 0, 0), `truncated: tensor "x" ends at byte 4 of the data, the file holds 3`},
		{"huge promise", file("{" + tensor("x", "[1]", 0, 1<<62) + "}"), "truncated: tensor"},
		{"trailing bytes", file("{"+x+"}", 0, 0, 0, 0, 0), "damaged: 1 bytes follow the data of the last tensor"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := safetensors.Decode(tt.content)
			wantError(t, err, tt.want)
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	one := safetensors.Tensor{Name: "x", Shape: []int{1}, Data: []float32{1}}
	for _, tt := range []struct {
		name string
		file safetensors.File
		want string
	}{
		{"no name", safetensors.File{Tensors: []safetensors.Tensor{{Shape: []int{0}}}}, "name of a tensor is"},
		{"reserved name", safetensors.File{Tensors: []safetensors.Tensor{{Name: "__metadata__", Shape: []int{0}}}}, "name of a tensor is"},
		{"name is not UTF-8", safetensors.File{Tensors: []safetensors.Tensor{{Name: "\xff", Shape: []int{0}}}}, "name of a tensor is"},
		{"metadata is not UTF-8", safetensors.File{Metadata: map[string]string{"a": "\xff"}}, `metadata "a" is not UTF-8`},
		{"twice", safetensors.File{Tensors: []safetensors.Tensor{one, one}}, `tensor "x" occurs twice`},
		{"wrong length", safetensors.File{Tensors: []safetensors.Tensor{{Name: "x", Shape: []int{2, 2}, Data: ramp(3)}}}, "has shape [2 2] and 3 numbers"},
		{"negative", safetensors.File{Tensors: []safetensors.Tensor{{Name: "x", Shape: []int{-1, -1}, Data: ramp(1)}}}, "has shape [-1 -1]"},
		{"negative and zero", safetensors.File{Tensors: []safetensors.Tensor{{Name: "x", Shape: []int{0, -1}}}}, "has shape [0 -1]"},
		{"rank", safetensors.File{Tensors: []safetensors.Tensor{{Name: "x", Shape: make([]int, 33)}}}, "has 33 dimensions"},
		{"NaN", safetensors.File{Tensors: []safetensors.Tensor{{Name: "x", Shape: []int{1}, Data: []float32{float32(math.NaN())}}}}, "NaN or infinite"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out")
			wantError(t, safetensors.Write(path, &tt.file), tt.want)
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Stat error = %v, want no file", err)
			}
		})
	}
}

// TestReadOnly checks that tensors of other types can be skipped, and that
// their place in the file is checked even so.
func TestReadOnly(t *testing.T) {
	good := `{"ids":{"dtype":"I64","shape":[1,2],"data_offsets":[0,16]},"w":{"dtype":"F32","shape":[1],"data_offsets":[16,20]}}`
	for _, tt := range []struct {
		name, header string
		data         int
		want         string // "" or what the error must say
	}{
		{"whole numbers", good, 20, ""},
		{"truncated", good, 19, "truncated: tensor"},
		{"wrong size", strings.Replace(good, "[1,2]", "[1,3]", 1), 20, "not what its shape and type I64 need"},
		{"hole", strings.Replace(good, "[0,16]", "[0,8]", 1), 20, `"ids": its data has 8 bytes`},
		{"unknown type", strings.Replace(good, "I64", "I65", 1), 20, `has dtype "I65", which is unknown`},
		{"wanted", strings.Replace(good, `"ids"`, `"wx"`, 1), 20, `has dtype "I64", must have F32`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m")
			if err := os.WriteFile(path, file(tt.header, make([]byte, tt.data)...), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := safetensors.ReadOnly(path, func(name string) bool { return strings.HasPrefix(name, "w") })
			if tt.want != "" {
				wantError(t, err, tt.want)
				return
			}
			if err != nil || len(f.Tensors) != 1 || f.Tensors[0].Name != "w" {
				t.Errorf("ReadOnly gives %v (error %v), want w alone", f, err)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	_, err := safetensors.Read(filepath.Join(dir, "absent"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want ErrNotExist", err)
	}
	_, err = safetensors.Read(dir)
	wantError(t, err, "is no regular file")
	path := filepath.Join(dir, "bad")
	if err = os.WriteFile(path, []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = safetensors.Read(path)
	wantError(t, err, path+": truncated")
}

// FuzzDecode checks that nothing panics and that what is accepted survives a
// round trip, the second of which has the bytes of the first.
func FuzzDecode(f *testing.F) {
	f.Add(file(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 0, 0, 0, 0))
	f.Add(file(`{"__metadata__":{"a":"b"},"y":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"x":{"shape":[],"dtype":"F64","data_offsets":[4,12]}} `, make([]byte, 12)...))
	f.Add(file(`{"x":{"dtype":"BF16","shape":[0,4294967296],"data_offsets":[0,0]}}`))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, content []byte) {
		first, err := safetensors.Decode(content)
		if err != nil {
			return
		}
		var a, b bytes.Buffer
		if err = safetensors.Encode(&a, first); err != nil {
			t.Fatalf("Encode of what Decode accepts: %v", err)
		}
		second, err := safetensors.Decode(a.Bytes())
		if err != nil {
			t.Fatalf("Decode of what Encode wrote: %v", err)
		}
		if err := safetensors.Encode(&b, second); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("second round trip: error %v, bytes %q, want %q", err, b.Bytes(), a.Bytes())
		}
	})
}

func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "m")
	if err := safetensors.Write(path, &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{1 << 20}, Data: ramp(1 << 20)}}}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(4 << 20)
	for b.Loop() {
		if _, err := safetensors.Read(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	f := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{1 << 20}, Data: ramp(1 << 20)}}}
	var out bytes.Buffer
	b.SetBytes(4 << 20)
	for b.Loop() {
		out.Reset()
		if err := safetensors.Encode(&out, f); err != nil {
			b.Fatal(err)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	err = safetensors.Write(path, &safetensors.File{
		Tensors:  []safetensors.Tensor{{Name: "weight", Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}},
		Metadata: map[string]string{"kind": "dense"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := safetensors.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	weight, ok := f.Tensor("weight")
	fmt.Println(ok, weight.Shape, weight.Data, f.Metadata["kind"])
	// Output: true [2 2] [1 2 3 4] dense
}
