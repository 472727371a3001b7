package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/service/httpserve/servetest"
	"sotto/service/server"
	"sotto/service/server/kserve"
)

const (
	width = 16
	fair  = `"sotto_privacy":{"unit":"text","epsilon":4,"delta":0}`
)

// stored is the folder of a small training, made once for all tests.
var stored string

func TestMain(m *testing.M) { os.Exit(withModels(m)) }

func withModels(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sotto-server-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		stored = filepath.Join(dir, "models")
		_, err = experiment.Run(context.Background(), experiment.Spec{
			Data: "reviews", Encoder: "hash:32", Methods: []string{"majority", "noise"}, Epsilons: []float64{4},
			Hidden: []int{16}, Dims: []int{width}, Epochs: 1, Seeds: 2, Limit: 200,
		}, experiment.Options{Out: stored})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	flag.Parse()
	flag.Set("test.parallel", "8") //nolint:errcheck // which there is; tests that may run at a time wait
	return m.Run()
}

// modelName is a model of the folder, and otherName one with other weights.
const (
	modelName = "noise-laplace-l1-e4-d16-seed-1"
	otherName = "noise-laplace-l1-e4-d16-seed-2"
)

func folderOf(name string) string {
	return filepath.Join(stored, strings.Replace(name, "-seed-", "/seed-", 1))
}

// start serves a folder and returns its address and the server.
func start(t testing.TB, c server.Config) (string, *server.Server) {
	t.Helper()
	s, err := server.New(c)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return h.URL, s
}

// ask sends a request and returns status, body and headers.
func ask(t testing.TB, method, url, body string, headers ...string) (int, []byte, http.Header) {
	t.Helper()
	status, got, header := servetest.Ask(t, method, url, body, headers...)
	return status, []byte(got), header
}

// rows returns n vectors that differ.
func rows(n int) []float32 {
	x := make([]float32, n*width)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)))
	}
	return x
}

func request(t testing.TB, n int, parameters string, binary bool) (body, header string) {
	t.Helper()
	req := kserve.Request{ID: "42", Inputs: []kserve.Tensor{{Name: "vector", Datatype: kserve.FP32, Shape: []int{n, width}, Floats: rows(n), Binary: binary}}}
	if err := json.Unmarshal([]byte("{"+parameters+"}"), &req.Parameters); err != nil {
		t.Fatal(err)
	}
	b, length, err := req.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(b), strconv.Itoa(length)
}

// expect computes what the model itself says.
func expect(t testing.TB, dir string, n int) (scores nn.Matrix, classes []int) {
	t.Helper()
	m, _, err := model.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, x := nn.NewPool(1), nn.Matrix{Rows: n, Cols: width, Data: rows(n)}
	return m.Logits(p, x), m.Predict(p, x, 0)[0]
}

func TestInfer(t *testing.T) {
	url, _ := start(t, server.Config{Model: stored})
	names := []string{"negative", "positive"}
	for _, tt := range []struct {
		name, parameters string
		n                int
		binary           bool
	}{
		{"one row", fair, 1, false},
		{"many rows", fair, 100, false},
		{"binary", fair, 5, true},
		{"binary both ways", fair + `,"binary_data_output":true`, 5, true},
		{"guarantee in a string", `"sotto_privacy":"{\"unit\":\"text\",\"epsilon\":4,\"delta\":0}"`, 3, false},
		{"stronger guarantee", `"sotto_privacy":{"unit":"text","epsilon":0.5}`, 3, false},
		{"other fields", `"sotto_privacy":{"unit":"text","epsilon":4,"mechanism":"laplace-l1","left":7}`, 3, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, header := request(t, tt.n, tt.parameters, tt.binary)
			status, got, h := ask(t, "POST", url+"/v2/models/"+modelName+"/infer", body, kserve.HeaderLength, header)
			if status != http.StatusOK {
				t.Fatalf("status %d: %s", status, got)
			}
			res, err := kserve.ParseResponse(got, h.Get(kserve.HeaderLength))
			if err != nil {
				t.Fatal(err)
			}
			logits, classes := expect(t, folderOf(modelName), tt.n)
			scores, class := res.Outputs[0], res.Outputs[1]
			if res.ID != "42" || res.ModelName != modelName || scores.Name != "scores" || class.Name != "class" ||
				!slices.Equal(scores.Shape, []int{tt.n, 2}) || !slices.Equal(class.Shape, []int{tt.n}) {
				t.Fatalf("answer %+v, want scores and class of %d rows", res, tt.n)
			}
			for i := range tt.n {
				p := 1 / (1 + math.Exp(float64(logits.Row(i)[0])-float64(logits.Row(i)[1])))
				// Of a probability in 32 bits: half a unit in the last place of 1.
				if g := float64(scores.Floats[2*i+1]); math.Abs(g-p) > 0x1p-24 {
					t.Errorf("row %d: probability %v, want %v", i, g, p)
				}
				if class.Strings[i] != names[classes[i]] {
					t.Errorf("row %d: class %s, want %s", i, class.Strings[i], names[classes[i]])
				}
			}
		})
	}
}

func TestInferOutputs(t *testing.T) {
	url, _ := start(t, server.Config{Model: folderOf(modelName)})
	body, _ := request(t, 2, fair, false)
	body = strings.TrimSuffix(body, "}") + `,"outputs":[{"name":"class"}]}`
	status, got, _ := ask(t, "POST", url+"/v2/models/seed-1/infer", body)
	res, err := kserve.ParseResponse(got, "")
	if status != http.StatusOK || err != nil || len(res.Outputs) != 1 || res.Outputs[0].Name != "class" {
		t.Errorf("status %d, %s, %v, want the class alone", status, got, err)
	}
}

func TestInferRefuses(t *testing.T) {
	t.Parallel()
	url, _ := start(t, server.Config{Model: stored, MaxBody: 4096, MaxRows: 8})
	tensor := func(members string) string {
		return `{"parameters":{` + fair + `},"inputs":[{"name":"vector",` + members + `}]}`
	}
	with := func(parameters string) string { b, _ := request(t, 1, parameters, false); return b }
	zeros := strings.Repeat("0,", width-1) + "0"
	large := strings.Repeat("3e38,", width-1) + "3e38"
	for _, tt := range []struct {
		name, path, body string
		status           int
		code             string
	}{
		{"no model", "nothing", with(fair), 404, "model_not_found"},
		{"unprotected model", "reference", with(fair), 404, "model_not_found"},
		{"constant model", "majority-seed-1", with(fair), 404, "model_not_found"},
		{"other version", modelName + "/versions/1", with(fair), 404, "model_not_found"},
		{"no guarantee", "", with(``), 400, "no_guarantee"},
		{"guarantee null", "", with(`"sotto_privacy":null`), 400, "no_guarantee"},
		{"guarantee of words", "", with(`"sotto_privacy":"yes"`), 400, "no_guarantee"},
		{"guarantee without epsilon", "", with(`"sotto_privacy":{"unit":"text","delta":0}`), 400, "no_guarantee"},
		{"guarantee without unit", "", with(`"sotto_privacy":{"epsilon":1}`), 400, "no_guarantee"},
		{"infinite epsilon", "", with(`"sotto_privacy":{"unit":"text","epsilon":"infinite"}`), 400, "no_guarantee"},
		{"negative epsilon", "", with(`"sotto_privacy":{"unit":"text","epsilon":-1}`), 400, "no_guarantee"},
		{"delta of 2", "", with(`"sotto_privacy":{"unit":"text","epsilon":1,"delta":2}`), 400, "no_guarantee"},
		{"other unit", "", with(`"sotto_privacy":{"unit":"word","epsilon":1}`), 400, "guarantee_mismatch"},
		{"no unit at all", "", with(`"sotto_privacy":{"unit":"sentence","epsilon":1}`), 400, "no_guarantee"},
		{"weaker epsilon", "", with(`"sotto_privacy":{"unit":"text","epsilon":4.001}`), 400, "guarantee_mismatch"},
		{"weaker delta", "", with(`"sotto_privacy":{"unit":"text","epsilon":4,"delta":1e-9}`), 400, "guarantee_mismatch"},
		{"not JSON", "", `vector`, 400, "invalid_request"},
		{"no inputs", "", `{"parameters":{` + fair + `},"inputs":[]}`, 400, "invalid_request"},
		{"text for vectors", "", tensor(`"datatype":"BYTES","shape":[1],"data":["secret"]`), 400, "invalid_request"},
		{"another name", "", `{"parameters":{` + fair + `},"inputs":[{"name":"text","datatype":"FP32","shape":[1,16],"data":[` + zeros + `]}]}`, 400, "invalid_request"},
		{"too narrow", "", tensor(`"datatype":"FP32","shape":[1,2],"data":[1,2]`), 400, "wrong_width"},
		{"flat shape", "", tensor(`"datatype":"FP32","shape":[16],"data":[` + zeros + `]`), 400, "wrong_width"},
		{"no rows", "", tensor(`"datatype":"FP32","shape":[0,16],"data":[]`), 400, "empty_batch"},
		{"too many rows", "", tensor(`"datatype":"FP32","shape":[9,16],"data":[` + strings.Repeat(zeros+",", 8) + zeros + `]`), 400, "batch_too_large"},
		{"beyond floats", "", tensor(`"datatype":"FP32","shape":[1,16],"data":[1e99,` + strings.Repeat("0,", 14) + `0]`), 400, "invalid_request"},
		{"scores overflow", "", tensor(`"datatype":"FP32","shape":[2,16],"data":[` + zeros + "," + large + `]`), 400, "not_finite"},
		{"other output", "", strings.TrimSuffix(with(fair), "}") + `,"outputs":[{"name":"text"}]}`, 400, "invalid_request"},
		{"output twice", "", strings.TrimSuffix(with(fair), "}") + `,"outputs":[{"name":"class"},{"name":"class"}]}`, 400, "invalid_request"},
		{"giant body", "", with(fair) + strings.Repeat(" ", 5000), 413, "body_too_large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tt.path
			if path == "" {
				path = modelName
			}
			status, body, _ := ask(t, "POST", url+"/v2/models/"+path+"/infer", tt.body)
			var got struct{ Error, Code string }
			if err := json.Unmarshal(body, &got); err != nil || status != tt.status || got.Code != tt.code || got.Error == "" {
				t.Errorf("status %d, %s, want %d with code %s and a sentence", status, body, tt.status, tt.code)
			}
			if bytes.Contains(body, []byte("secret")) {
				t.Errorf("the refusal quotes the request: %s", body)
			}
		})
	}
}

func TestInferRefusesBinaryNaN(t *testing.T) {
	url, _ := start(t, server.Config{Model: stored})
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := rows(2)
		x[width+3] = float32(v)
		req := kserve.Request{
			Parameters: kserve.Parameters{kserve.Privacy: json.RawMessage(`{"unit":"text","epsilon":4}`)},
			Inputs:     []kserve.Tensor{{Name: "vector", Datatype: kserve.FP32, Shape: []int{2, width}, Floats: x, Binary: true}},
		}
		body, header, err := req.Encode()
		if err != nil {
			t.Fatal(err)
		}
		status, got, _ := ask(t, "POST", url+"/v2/models/"+modelName+"/infer", string(body), kserve.HeaderLength, strconv.Itoa(header))
		if status != 400 || !bytes.Contains(got, []byte(`"not_finite"`)) {
			t.Errorf("%v: status %d, %s, want 400 and not_finite", v, status, got)
		}
	}
}

func TestMetadata(t *testing.T) {
	url, _ := start(t, server.Config{Model: stored})
	for _, tt := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/v2", 200, `"extensions":["binary_tensor_data"`},
		{"GET", "/v2/health/live", 200, `"live":true`},
		{"GET", "/v2/health/ready", 200, `"ready":true,"stale":[]`},
		{"GET", "/v2/models/" + modelName, 200, `"inputs":[{"name":"vector","datatype":"FP32","shape":[-1,16]}]`},
		{"GET", "/v2/models/" + modelName, 200, `"outputs":[{"name":"scores","datatype":"FP32","shape":[-1,2]},{"name":"class","datatype":"BYTES","shape":[-1]}]`},
		{"GET", "/v2/models/" + modelName, 200, `"guarantee":{"unit":"text","epsilon":3.99999`},
		{"GET", "/v2/models/" + modelName, 200, `"classes":["negative","positive"]`},
		{"GET", "/v2/models/" + modelName + "/ready", 200, `"ready":true`},
		{"GET", "/v2/models/reference/ready", 404, `"model_not_found"`},
		{"POST", "/v2/repository/index", 200, `{"name":"reference","state":"UNAVAILABLE"`},
		{"POST", "/v2/repository/index", 200, `{"name":"` + otherName + `","version":`},
		{"GET", "/v2/models", 404, `"not_found"`},
		{"DELETE", "/v2/models/" + modelName, 404, `"not_found"`},
	} {
		status, got, _ := ask(t, tt.method, url+tt.path, "")
		if status != tt.status || !bytes.Contains(got, []byte(tt.want)) {
			t.Errorf("%s %s: status %d, %s, want %d and %s", tt.method, tt.path, status, got, tt.status, tt.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	empty := t.TempDir()
	for _, tt := range []struct {
		name   string
		config server.Config
		want   string
	}{
		{"no folder", server.Config{}, "model is empty"},
		{"nowhere", server.Config{Model: filepath.Join(empty, "nowhere")}, "nowhere"},
		{"empty", server.Config{Model: empty}, "holds no model"},
		{"unprotected", server.Config{Model: filepath.Join(stored, "reference")}, "nothing protects"},
		{"constant", server.Config{Model: filepath.Join(stored, "majority")}, "releases nothing"},
		{"rows", server.Config{Model: stored, MaxRows: -1}, "max rows is -1"},
		{"drain", server.Config{Model: stored, Drain: -1}, "drain is -1"},
	} {
		if _, err := server.New(tt.config); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: New error = %v, want a word of %q", tt.name, err, tt.want)
		}
	}
}

// TestQuiet sends recognisable numbers and texts, good and bad, and looks for
// them in everything that the server says besides its answers.
func TestQuiet(t *testing.T) {
	var log servetest.Buffer
	url, _ := start(t, server.Config{Model: stored, Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	const number, word = "0.7182818", "confidential"
	data := number + strings.Repeat(",0", width-1)
	for _, body := range []string{
		`{"id":"` + word + `","parameters":{` + fair + `},"inputs":[{"name":"vector","datatype":"FP32","shape":[1,16],"data":[` + data + `]}]}`,
		`{"parameters":{` + fair + `},"inputs":[{"name":"vector","datatype":"FP32","shape":[2,16],"data":[` + data + `]}]}`,
		`{"parameters":{` + fair + `},"inputs":[{"name":"` + word + `","datatype":"` + word + `","shape":[1],"data":["` + word + `"]}]}`,
		`{"` + word + `":1}`,
		word + number,
	} {
		ask(t, "POST", url+"/v2/models/"+modelName+"/infer", body)
	}
	ask(t, "GET", url+"/v2/models/"+word, "")
	ask(t, "GET", url+"/"+word, "")
	_, metrics, _ := ask(t, "GET", url+"/metrics", "")
	for _, said := range []string{log.String(), string(metrics)} {
		if strings.Contains(said, number) || strings.Contains(said, word) {
			t.Errorf("log or metrics hold what was sent:\n%s", said)
		}
	}
	if strings.Count(log.String(), `"msg":"request"`) < 7 {
		t.Errorf("the log has not a line for each request:\n%s", log.String())
	}
}

// TestVersions: the version of a model may be named in the address, in the body,
// in both or nowhere; what is named must be what is served.
func TestVersions(t *testing.T) {
	url, _ := start(t, server.Config{Model: stored})
	version := versionOf(t, modelName)
	body, _ := request(t, 1, fair, false)
	for _, tt := range []struct {
		path, fields string
		status       int
	}{
		{"/infer", "", 200},
		{"/versions/" + version + "/infer", "", 200},
		{"/infer", `"model_version":"` + version + `",`, 200},
		{"/infer", `"model_name":"` + modelName + `",`, 200},
		{"/versions/" + version + "/infer", `"model_name":"` + modelName + `","model_version":"` + version + `",`, 200},
		{"/infer", `"model_version":"",`, 200},
		{"/versions/other/infer", "", 404},
		{"/infer", `"model_version":"other",`, 404},
		{"/infer", `"model_name":"` + otherName + `",`, 404},
	} {
		status, got, _ := ask(t, "POST", url+"/v2/models/"+modelName+tt.path, "{"+tt.fields+body[1:])
		if status != tt.status || status == 200 && !bytes.Contains(got, []byte(`"model_version":"`+version+`"`)) {
			t.Errorf("%s with %s: %d %s, want %d", tt.path, tt.fields, status, got, tt.status)
		}
	}
}

func TestMetrics(t *testing.T) {
	url, _ := start(t, server.Config{Model: stored})
	body, _ := request(t, 3, fair, false)
	ask(t, "POST", url+"/v2/models/"+modelName+"/infer", body)
	ask(t, "POST", url+"/v2/models/"+modelName+"/infer", "{}")
	_, got, h := ask(t, "GET", url+"/metrics", "")
	for _, want := range []string{
		`sotto_server_requests_total{route="POST /v2/models/{name}/infer",status="200"} 1`,
		`sotto_server_requests_total{route="POST /v2/models/{name}/infer",status="400"} 1`,
		`sotto_server_vectors_total{model="` + modelName + `"} 3`,
		`sotto_server_request_seconds_count{route="POST /v2/models/{name}/infer"} 2`,
		`sotto_server_request_seconds_bucket{route="POST /v2/models/{name}/infer",le="+Inf"} 2`,
		`sotto_server_model_reads_total{result="loaded"} 2`,
		`sotto_server_model_stale{model="` + modelName + `"} 0`,
		`sotto_server_requests_in_flight 1`,
		`sotto_server_inferences_total{code="ok",model="` + modelName + `"} 1`,
		`sotto_server_inferences_total{code="no_guarantee",model="` + modelName + `"} 1`,
		`sotto_server_inference_seconds_count{model="` + modelName + `"} 2`,
		`sotto_server_refused_total{code="no_guarantee"} 1`,
		`sotto_server_models 2`,
		`sotto_server_reloads_total{result="done"} 1`,
		`sotto_server_folder_unreadable 0`,
		`sotto_server_bytes_in_flight 0`,
	} {
		if !slices.Contains(strings.Split(string(got), "\n"), want) {
			t.Errorf("metrics lack %s:\n%s", want, got)
		}
	}
	if kind := h.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("content type %q, want plain text", kind)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(got)) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok && strings.HasPrefix(name, "sotto_") { // others are of Go and the process
			name, _, _ = strings.Cut(name, " ")
			if seen[name] {
				t.Errorf("metric %s is declared twice", name)
			}
			seen[name] = true
		}
	}
	if len(seen) != 15 {
		t.Errorf("%d metrics, want 15: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}

func TestPanic(t *testing.T) {
	var log servetest.Buffer
	_, s := start(t, server.Config{Model: stored, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	w := httptest.NewRecorder()
	s.Handle(func(http.ResponseWriter, *http.Request) error { panic("a private value") }).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 500 || strings.Contains(w.Body.String()+log.String(), "private") || !strings.Contains(log.String(), "server_test.go") {
		t.Errorf("status %d, answer %s, log %s, want 500 and the place in the log alone", w.Code, w.Body, log.String())
	}
}

// FuzzInfer: whatever is sent, the answer is JSON with a status that the
// documentation lists.
func FuzzInfer(f *testing.F) {
	s, err := server.New(server.Config{Model: stored})
	if err != nil {
		f.Fatal(err)
	}
	h := s.Handler()
	for _, binary := range []bool{false, true} {
		body, header := request(f, 2, fair, binary)
		f.Add([]byte(body), header)
	}
	f.Add([]byte(`{"inputs":[]}`), "")
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		r := httptest.NewRequest("POST", "/v2/models/"+modelName+"/infer", bytes.NewReader(body))
		r.Header.Set(kserve.HeaderLength, header)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch w.Code {
		case 200:
			if _, err := kserve.ParseResponse(w.Body.Bytes(), w.Header().Get(kserve.HeaderLength)); err != nil {
				t.Errorf("the answer cannot be read: %v", err)
			}
		case 400:
			if !json.Valid(w.Body.Bytes()) {
				t.Errorf("refusal %q is no JSON", w.Body)
			}
		default:
			t.Errorf("status %d, want 200 or 400", w.Code)
		}
	})
}

func BenchmarkInfer(b *testing.B) {
	s, err := server.New(server.Config{Model: stored})
	if err != nil {
		b.Fatal(err)
	}
	h := s.Handler()
	for _, n := range []int{1, 16, 256} {
		for _, binary := range []bool{false, true} {
			body, header := request(b, n, fair, binary)
			b.Run(fmt.Sprintf("rows=%d/binary=%v", n, binary), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := httptest.NewRequest("POST", "/v2/models/"+modelName+"/infer", strings.NewReader(body))
					r.Header.Set(kserve.HeaderLength, header)
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if w.Code != 200 {
						b.Fatal(w.Body)
					}
				}
			})
		}
	}
}

// BenchmarkLogits is the part of BenchmarkInfer that grouping requests could
// make cheaper.
func BenchmarkLogits(b *testing.B) {
	m, _, err := model.Load(folderOf(modelName))
	if err != nil {
		b.Fatal(err)
	}
	p := nn.NewPool(1)
	for _, n := range []int{1, 16, 256} {
		x := nn.Matrix{Rows: n, Cols: width, Data: rows(n)}
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			for b.Loop() {
				m.Logits(p, x)
			}
		})
	}
}

// TestLargest: what no request for a model can need is refused before it is read.
func TestLargest(t *testing.T) {
	t.Parallel()
	url, _ := start(t, server.Config{Model: stored})
	status, got, _ := ask(t, "POST", url+"/v2/models/"+modelName+"/infer", strings.Repeat(" ", 1<<16+64*1024*width+1))
	if status != http.StatusRequestEntityTooLarge || !bytes.Contains(got, []byte(`"body_too_large"`)) {
		t.Errorf("status %d, %s, want 413", status, got)
	}
	body, header := request(t, 1024, fair, false)
	if status, got, _ = ask(t, "POST", url+"/v2/models/"+modelName+"/infer", body, kserve.HeaderLength, header); status != http.StatusOK {
		t.Errorf("status %d, %.200s of as many vectors as may be, want 200", status, got)
	}
}

// TestMemory: whatever a body of eight mebibytes holds, little more than itself is
// made of it. Empty tensors used to take 688.
func TestMemory(t *testing.T) {
	s, err := server.New(server.Config{Model: stored, MaxRows: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	h := s.Handler()
	const size = 8 << 20
	fill := func(before, part, after string) string {
		return before + strings.Repeat(part, (size-len(before)-len(after))/len(part)) + after
	}
	tensor := `{"inputs":[{"name":"vector","datatype":"%s","shape":[%d,1],"data":["",`
	for name, body := range map[string]string{
		"tensors":    fill(`{"inputs":[{}`, `,{}`, `]}`),
		"outputs":    fill(`{"inputs":[],"outputs":[{}`, `,{}`, `]}`),
		"shape":      fill(`{"inputs":[{"shape":[1`, `,1`, `]}]}`),
		"parameters": fill(`{"parameters":{"a":0`, `,"a":0`, `}}`),
		"nested":     fill(`{"inputs":[{"data":`, `[`, ``),
		"strings":    fill(fmt.Sprintf(tensor, "BYTES", size/3), `"",`, `""]}]}`),
		"numbers":    fill(`{"inputs":[{"name":"vector","datatype":"FP32","shape":[4000000,1],"data":[0`, `,0`, `]}]}`),
		"an id":      fill(`{"id":"`, `a`, `"}`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/v2/models/"+modelName+"/infer", strings.NewReader(body)))
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4*size || w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d MiB of memory were taken for 8, %d %s; want at most 32, and 400", name, took>>20, w.Code, w.Body)
		}
	}
}
