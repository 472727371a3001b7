package kserve_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"sotto/service/server/kserve"
)

func ExampleParseRequest() {
	r, err := kserve.ParseRequest([]byte(`{"inputs": [{"name": "vector", "datatype": "FP32", "shape": [2, 2], "data": [[1, 0.5], [-2, 3]]}]}`), "")
	fmt.Println(r.Inputs[0].Floats, err)
	// Output: [1 0.5 -2 3] <nil>
}

func ExampleResponse() {
	body, header, err := kserve.Response{ModelName: "m", Outputs: []kserve.Tensor{
		{Name: "class", Datatype: kserve.Bytes, Shape: []int{1}, Strings: []string{"positive"}},
	}}.Encode()
	fmt.Println(string(body), header == len(body), err)
	// Output: {"model_name":"m","outputs":[{"name":"class","datatype":"BYTES","shape":[1],"data":["positive"]}]} true <nil>
}

// input wraps the members of one tensor into a request.
func input(members string) string { return `{"inputs":[{"name":"vector",` + members + `}]}` }

func TestParseRequestData(t *testing.T) {
	for _, tt := range []struct {
		name, members string
		want          []float32
	}{
		{"flat", `"datatype":"FP32","shape":[2,2],"data":[1,2,3,4]`, []float32{1, 2, 3, 4}},
		{"nested", `"datatype":"FP32","shape":[2,2],"data":[ [1 ,2],` + "\n\t" + `[3,-4e-1] ]`, []float32{1, 2, 3, -0.4}},
		{"one dimension", `"datatype":"FP32","shape":[3],"data":[1,2,3]`, []float32{1, 2, 3}},
		{"no rows", `"datatype":"FP32","shape":[0,2],"data":[]`, []float32{}},
		{"three dimensions", `"datatype":"FP32","shape":[1,2,1],"data":[[[1],[2]]]`, []float32{1, 2}},
		{"tiny", `"datatype":"FP32","shape":[1],"data":[1e-60]`, []float32{0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := kserve.ParseRequest([]byte(input(tt.members)), "")
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Inputs[0].Floats; len(got) != len(tt.want) || len(got) > 0 && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("ParseRequest gave %v, want %v", got, tt.want)
			}
		})
	}
}

func TestParseRequestRefuses(t *testing.T) {
	for _, tt := range []struct{ name, body, header, want string }{
		{"empty", ``, "", "ends too early"},
		{"not JSON", `hello`, "", "no JSON at byte"},
		{"cut", `{"inputs":[`, "", "ends too early"},
		{"two texts", `{"inputs":[]} {}`, "", "follows the JSON"},
		{"unknown field", `{"input":[]}`, "", "does not have"},
		{"unknown field of a tensor", input(`"dtype":"FP32"`), "", "does not have"},
		{"wrong kind", `{"inputs":7}`, "", "wrong kind"},
		{"datatype", input(`"datatype":"FP16","shape":[1],"data":[1]`), "", "datatype"},
		{"no data", input(`"datatype":"FP32","shape":[1]`), "", "array of numbers"},
		{"null", input(`"datatype":"FP32","shape":[1],"data":null`), "", "array of numbers"},
		{"string for a number", input(`"datatype":"FP32","shape":[1],"data":["secret 7"]`), "", "32-bit"},
		{"null for a number", input(`"datatype":"FP32","shape":[1],"data":[null]`), "", "32-bit"},
		{"infinite", input(`"datatype":"FP32","shape":[1],"data":[1e39]`), "", "32-bit"},
		{"far beyond", input(`"datatype":"FP32","shape":[1],"data":[1e999]`), "", "32-bit"},
		{"too few", input(`"datatype":"FP32","shape":[2,2],"data":[1,2,3]`), "", "asks for 4"},
		{"too many", input(`"datatype":"FP32","shape":[1,2],"data":[1,2,3]`), "", "more than the 2"},
		{"ragged", input(`"datatype":"FP32","shape":[2,2],"data":[[1,2],[3]]`), "", "asks for 2"},
		{"half nested", input(`"datatype":"FP32","shape":[2,2],"data":[[1,2],3,4]`), "", "32-bit"},
		{"nested too deep", input(`"datatype":"FP32","shape":[1,1],"data":[[[1]]]`), "", "32-bit"},
		{"negative", input(`"datatype":"FP32","shape":[-1,2],"data":[]`), "", "negative or giant"},
		{"giant", input(`"datatype":"FP32","shape":[9999999,9999999],"data":[]`), "", "negative or giant"},
		{"strings", input(`"datatype":"BYTES","shape":[1],"data":[7]`), "", "strings"},
		{"header of words", `{"inputs":[]}`, "many", "number of bytes"},
		{"header beyond", `{"inputs":[]}`, "99", "number of bytes"},
		{"negative header", `{"inputs":[]}`, "-1", "number of bytes"},
		{"left over", `{"inputs":[]}xy`, "13", "belong to no tensor"},
		{"binary beyond", input(`"datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}`), "", "beyond"},
		{"binary and data", input(`"datatype":"FP32","shape":[1],"data":[1],"parameters":{"binary_data_size":4}`), "", "one of them"},
		{"binary size", input(`"datatype":"FP32","shape":[1],"parameters":{"binary_data_size":"4"}`), "", "number of bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := kserve.ParseRequest([]byte(tt.body), tt.header)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ParseRequest error = %v, want a word of %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("ParseRequest error quotes the request: %v", err)
			}
		})
	}
}

func TestBinary(t *testing.T) {
	for _, tensor := range []kserve.Tensor{
		{Name: "a", Datatype: kserve.FP32, Shape: []int{1, 2}, Floats: []float32{1.5, float32(math.Inf(1))}, Binary: true},
		{Name: "b", Datatype: kserve.Bytes, Shape: []int{3}, Strings: []string{"one", "", "three"}, Binary: true},
		{Name: "c", Datatype: kserve.Bytes, Shape: []int{1}, Strings: []string{"in JSON"}},
	} {
		body, header, err := kserve.Request{ID: "7", Inputs: []kserve.Tensor{tensor}}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := kserve.ParseRequest(body, strconv.Itoa(header))
		if err != nil || !reflect.DeepEqual(got.Inputs[0], tensor) || got.ID != "7" {
			t.Errorf("tensor %s came back as %+v, %v, want %+v", tensor.Name, got, err, tensor)
		}
		if tensor.Binary {
			if _, err := kserve.ParseRequest(body[:len(body)-1], strconv.Itoa(header)); err == nil {
				t.Errorf("tensor %s: a body without its last byte was taken", tensor.Name)
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tensor kserve.Tensor
	}{
		{"NaN in JSON", kserve.Tensor{Datatype: kserve.FP32, Shape: []int{1}, Floats: []float32{float32(math.NaN())}}},
		{"shape", kserve.Tensor{Datatype: kserve.FP32, Shape: []int{2}, Floats: []float32{1}}},
		{"datatype", kserve.Tensor{Datatype: "INT8", Shape: []int{0}}},
		{"two kinds", kserve.Tensor{Datatype: kserve.FP32, Shape: []int{1}, Floats: []float32{1}, Strings: []string{"x"}}},
	} {
		if _, _, err := (kserve.Response{Outputs: []kserve.Tensor{tt.tensor}}).Encode(); err == nil {
			t.Errorf("%s: Encode error = nil, want one", tt.name)
		}
	}
}

func TestBinaryOutput(t *testing.T) {
	yes, no := json.RawMessage("true"), json.RawMessage("false")
	r := kserve.Request{
		Parameters: kserve.Parameters{"binary_data_output": yes},
		Outputs:    []kserve.Output{{Name: "scores", Parameters: kserve.Parameters{"binary_data": no}}, {Name: "class"}},
	}
	if r.BinaryOutput("scores") || !r.BinaryOutput("class") {
		t.Errorf("BinaryOutput = %v, %v, want false for the one that says so and true for the other", r.BinaryOutput("scores"), r.BinaryOutput("class"))
	}
}

// FuzzParseRequest: no body makes the parser panic, and what it accepts comes
// back the same when it is written and read again.
func FuzzParseRequest(f *testing.F) {
	for _, s := range []string{
		input(`"datatype":"FP32","shape":[2,2],"data":[[1,2],[3,4]]`),
		input(`"datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}`) + "\x00\x00\x80\x3f\x00\x00\xc0\x7f",
		input(`"datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":5}`) + "\x01\x00\x00\x00x",
		`{"id":"a","parameters":{"sotto_privacy":{"unit":"text","epsilon":4,"delta":0}},"inputs":[],"outputs":[{"name":"class"}]}`,
	} {
		f.Add([]byte(s), strings.LastIndexByte(s, '}')+1)
	}
	f.Fuzz(func(t *testing.T, body []byte, header int) {
		first, err := kserve.ParseRequest(body, strconv.Itoa(header))
		if err != nil {
			return
		}
		again, n, err := first.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		second, err := kserve.ParseRequest(again, strconv.Itoa(n))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if a, b := bits(first), bits(second); a != b {
			t.Errorf("read %s, then %s", a, b)
		}
	})
}

// bits renders a request so that equal NaNs are equal.
func bits(r *kserve.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %d", r.ID, len(r.Outputs))
	for _, t := range r.Inputs {
		fmt.Fprintf(&b, "; %q %s %v %v %q", t.Name, t.Datatype, t.Shape, t.Binary, t.Strings)
		for _, v := range t.Floats {
			fmt.Fprintf(&b, " %x", math.Float32bits(v))
		}
	}
	return b.String()
}

func BenchmarkParseRequest(b *testing.B) {
	const rows, width = 16, 128
	t := kserve.Tensor{Name: "vector", Datatype: kserve.FP32, Shape: []int{rows, width}, Floats: make([]float32, rows*width)}
	for i := range t.Floats {
		t.Floats[i] = float32(math.Sin(float64(i)))
	}
	for _, t.Binary = range []bool{false, true} {
		body, header, err := kserve.Request{Inputs: []kserve.Tensor{t}}.Encode()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("binary=%v", t.Binary), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := kserve.ParseRequest(body, strconv.Itoa(header)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
