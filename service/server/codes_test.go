package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/service/server"
	"sotto/service/server/kserve"
)

// codesModel stores a model whose codes answer a label of two classes and one of
// three, and were trained for a third label that has no name.
func codesModel(t testing.TB) (dir string, m *model.Model) {
	t.Helper()
	r := weakrand.New(weakrand.NewPCG(5, 6))
	d := train.Data{X: nn.NewMatrix(120, 4), Y: make([]int, 120), Classes: 2}
	colour, hidden := make([]int, 120), make([]int, 120)
	for i := range d.Y {
		d.Y[i], colour[i], hidden[i] = i%2, i/2%3, i/6%2
		for j, on := range []int{d.Y[i], colour[i] & 1, colour[i] >> 1, hidden[i]} {
			d.X.Row(i)[j] = float32(r.NormFloat64()/4 + float64(on))
		}
		if i < 80 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	d.More = []train.Target{{Y: colour, Classes: 3}, {Y: hidden, Classes: 2}}
	h := train.Codes{Training: train.Training{Shape: train.Shape{Encoder: []int{}}, Epochs: 20}, Release: mech.Params{Epsilon: 3}}
	m, err := train.Fit(t.Context(), h, d, train.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "codes")
	err = m.Save(dir, model.Manifest{Method: "codes", Data: model.DataRecord{
		Name: "made up", Label: "mood", Classes: []string{"low", "high"}, Reserve: 0.5,
		More: []model.LabelRecord{{Name: "colour", Classes: []string{"red", "green", "blue"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return dir, m
}

// codesRequest asks about rows of so many numbers.
func codesRequest(width int, numbers ...float32) string {
	data, _ := json.Marshal(numbers) // floats that are finite are always JSON
	return fmt.Sprintf(`{"parameters":{"sotto_privacy":{"unit":"text","epsilon":3}},"inputs":[{"name":"vector","datatype":"FP32","shape":[%d,%d],"data":%s}]}`, len(numbers)/width, width, data)
}

// TestCodes sends every code as its vector and as its index, to the whole model
// and to its head.
func TestCodes(t *testing.T) {
	dir, m := codesModel(t)
	head, err := model.LoadHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "codes")
	if err = head.Save(bare); err != nil {
		t.Fatal(err)
	}
	k := m.Dim()
	x, indices := nn.NewMatrix(k, k), make([]float32, k)
	for c := range k {
		x.Row(c)[c], indices[c] = 1, float32(c)
	}
	logits := m.Logits(nn.NewPool(1), x)
	var bodies [][]byte
	for _, folder := range []string{dir, bare} {
		url, _ := start(t, server.Config{Model: folder})
		for _, body := range []string{codesRequest(k, x.Data...), codesRequest(1, indices...)} {
			status, got, _ := ask(t, "POST", url+"/v2/models/codes/infer", body)
			if status != http.StatusOK {
				t.Fatalf("status %d: %s", status, got)
			}
			bodies = append(bodies, got)
		}
	}
	for i, b := range bodies {
		if !bytes.Equal(b, bodies[0]) {
			t.Errorf("answer %d is %s, want the same for vector and index, model and head", i, b)
		}
	}
	res, err := kserve.ParseResponse(bodies[0], "")
	if err != nil || len(res.Outputs) != 4 {
		t.Fatalf("%d outputs (%v), want scores and class of two labels", len(res.Outputs), err)
	}
	column := 0
	for l, label := range []struct {
		name    string
		classes []string
	}{{"mood", []string{"low", "high"}}, {"colour", []string{"red", "green", "blue"}}} {
		scores, class, n := res.Outputs[2*l], res.Outputs[2*l+1], len(label.classes)
		if scores.Name != label.name+".scores" || class.Name != label.name+".class" || !slices.Equal(scores.Shape, []int{k, n}) || !slices.Equal(class.Shape, []int{k}) {
			t.Fatalf("outputs %s and %s have shapes %v and %v", scores.Name, class.Name, scores.Shape, class.Shape)
		}
		for c := range k {
			row, sum, best := logits.Row(c)[column:column+n], 0.0, 0
			for j, v := range row {
				sum += math.Exp(float64(v))
				if v > row[best] {
					best = j
				}
			}
			for j, v := range row {
				// Of a probability in 32 bits: half a unit in the last place of 1.
				if got, want := float64(scores.Floats[c*n+j]), math.Exp(float64(v))/sum; math.Abs(got-want) > 0x1p-24 {
					t.Errorf("code %d: %s %s has probability %v, want %v", c, label.name, label.classes[j], got, want)
				}
			}
			if class.Strings[c] != label.classes[best] {
				t.Errorf("code %d: %s is %s, want %s", c, label.name, class.Strings[c], label.classes[best])
			}
		}
		column += n
	}
}

func TestCodesRefuses(t *testing.T) {
	dir, m := codesModel(t)
	url, _ := start(t, server.Config{Model: dir, MaxRows: 4})
	k := m.Dim()
	with := func(places ...float32) []float32 { return append(places, make([]float32, k-len(places))...) }
	for _, tt := range []struct {
		name, body, code string
	}{
		{"index beyond", codesRequest(1, float32(k)), "no_code"},
		{"far beyond", codesRequest(1, 3e38), "no_code"},
		{"negative", codesRequest(1, -1), "no_code"},
		{"half", codesRequest(1, 0, 0.5), "no_code"},
		{"zeros", codesRequest(k, with()...), "no_code"},
		{"two", codesRequest(k, with(1, 1)...), "no_code"},
		{"a half beside", codesRequest(k, with(1, 0.5)...), "no_code"},
		{"two for one", codesRequest(k, with(2)...), "no_code"},
		{"another width", codesRequest(k+1, append(with(1), 0)...), "wrong_width"},
		{"too many", codesRequest(1, 0, 0, 0, 0, 0), "batch_too_large"},
		{"output of one label", strings.TrimSuffix(codesRequest(1, 0), "}") + `,"outputs":[{"name":"scores"}]}`, "invalid_request"},
		{"output of no label", strings.TrimSuffix(codesRequest(1, 0), "}") + `,"outputs":[{"name":".scores"}]}`, "invalid_request"},
	} {
		status, body, _ := ask(t, "POST", url+"/v2/models/codes/infer", tt.body)
		var got struct{ Error, Code string }
		if err := json.Unmarshal(body, &got); err != nil || status != http.StatusBadRequest || got.Code != tt.code {
			t.Errorf("%s: status %d, %s, want 400 and %s", tt.name, status, body, tt.code)
		}
	}
	body := strings.TrimSuffix(codesRequest(1, 0), "}") + `,"outputs":[{"name":"colour.class"}]}`
	if status, got, _ := ask(t, "POST", url+"/v2/models/codes/infer", body); status != http.StatusOK || bytes.Contains(got, []byte("mood")) {
		t.Errorf("one output: status %d, %s, want the colour's class alone", status, got)
	}
}

func TestCodesMetadata(t *testing.T) {
	dir, m := codesModel(t)
	url, _ := start(t, server.Config{Model: dir})
	_, got, _ := ask(t, "GET", url+"/v2/models/codes", "")
	k := strconv.Itoa(m.Dim())
	for _, want := range []string{
		`"inputs":[{"name":"vector","datatype":"FP32","shape":[-1,` + k + `]}]`,
		`"outputs":[{"name":"mood.scores","datatype":"FP32","shape":[-1,2]},{"name":"mood.class","datatype":"BYTES","shape":[-1]},` +
			`{"name":"colour.scores","datatype":"FP32","shape":[-1,3]},{"name":"colour.class","datatype":"BYTES","shape":[-1]}]`,
		`"codes":` + k,
		`{"class":"colour.class","classes":["red","green","blue"],"name":"colour","scores":"colour.scores"}`,
	} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("metadata is %s, want %s", got, want)
		}
	}
}

// FuzzCodes sends any number as an index: it is a code's, or refused.
func FuzzCodes(f *testing.F) {
	dir, m := codesModel(f)
	s, err := server.New(server.Config{Model: dir})
	if err != nil {
		f.Fatal(err)
	}
	h := s.Handler()
	for _, v := range []float64{0, 1, -1, 0.5, 1 << 24, math.NaN(), math.Inf(1)} {
		f.Add(math.Float32bits(float32(v)))
	}
	f.Add(math.Float32bits(float32(m.Dim())))
	f.Fuzz(func(t *testing.T, bits uint32) {
		v := math.Float32frombits(bits)
		body, header, err := kserve.Request{
			Parameters: kserve.Parameters{kserve.Privacy: json.RawMessage(`{"unit":"text","epsilon":2}`)},
			Inputs:     []kserve.Tensor{{Name: "vector", Datatype: kserve.FP32, Shape: []int{1, 1}, Floats: []float32{v}, Binary: true}},
		}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", "/v2/models/codes/infer", bytes.NewReader(body))
		r.Header.Set(kserve.HeaderLength, strconv.Itoa(header))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		want := http.StatusBadRequest
		if x := float64(v); x >= 0 && x < float64(m.Dim()) && x == math.Trunc(x) {
			want = http.StatusOK
		}
		if w.Code != want {
			t.Errorf("status %d, want %d", w.Code, want)
		}
	})
}
