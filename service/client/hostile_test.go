package client_test

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/client"
)

const about = `{"name":"m","versions":["1"],"inputs":[{"name":"vector","datatype":"FP32","shape":[-1,2]}],
	"parameters":{"method":"noise","classes":["no","yes"],"guarantee":{"unit":"text","epsilon":8,"delta":0}}}`

// said is an answer to two rows.
func said(outputs string) string {
	return `{"model_name":"m","model_version":"1","outputs":[` + outputs + `]}`
}

const (
	scores  = `{"name":"scores","datatype":"FP32","shape":[2,2],"data":[0.25,0.75,0.5,0.5]}`
	classes = `{"name":"class","datatype":"BYTES","shape":[2],"data":["yes","no"]}`
)

// liar describes the model m and then answers with what it was made of.
func liar(t *testing.T, answer http.HandlerFunc) *client.Server {
	t.Helper()
	return asked(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			write(w, about)
			return
		}
		answer(w, r)
	})
}

// asked returns a client of a server, in which it has no trust.
func asked(t *testing.T, handler http.HandlerFunc) *client.Server {
	t.Helper()
	h := httptest.NewServer(handler)
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	s, err := client.NewServer(h.URL, "m", client.Options{Backoff: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write sends what a server says to whoever is still there.
func write(w io.Writer, s string) { _, _ = io.WriteString(w, s) }

func classify(ctx context.Context, s *client.Server) ([]client.Answer, error) {
	return s.Classify(ctx, [][]float32{{1, 2}, {3, 4}}, dp.Guarantee{Unit: dp.Text, Epsilon: 8})
}

// TestLies: an answer that is not about the rows, labels and classes that were
// asked for is not believed, and not quoted.
func TestLies(t *testing.T) {
	for _, tt := range []struct{ name, body string }{
		{"no output", said(``)},
		{"one output", said(scores)},
		{"a third output", said(scores + `,` + classes + `,{"name":"marker","datatype":"FP32","shape":[0],"data":[]}`)},
		{"twice the same", said(scores + `,` + scores)},
		{"twice the same beside the other", said(scores + `,` + classes + `,` + classes)},
		{"fewer rows", said(`{"name":"scores","datatype":"FP32","shape":[1,2],"data":[0.25,0.75]},{"name":"class","datatype":"BYTES","shape":[1],"data":["yes"]}`)},
		{"more rows", said(`{"name":"scores","datatype":"FP32","shape":[3,2],"data":[0.25,0.75,0.5,0.5,1,0]},{"name":"class","datatype":"BYTES","shape":[3],"data":["yes","no","no"]}`)},
		{"rows and columns changed", said(`{"name":"scores","datatype":"FP32","shape":[4,1],"data":[0.25,0.75,0.5,0.5]},` + classes)},
		{"another shape", said(`{"name":"scores","datatype":"FP32","shape":[4],"data":[0.25,0.75,0.5,0.5]},` + classes)},
		{"types changed", said(`{"name":"class","datatype":"FP32","shape":[2],"data":[0.25,0.75]},{"name":"scores","datatype":"BYTES","shape":[2,2],"data":["1","0","1","0"]}`)},
		{"a class of nobody's", said(scores + `,{"name":"class","datatype":"BYTES","shape":[2],"data":["yes","marker"]}`)},
		{"an unlikely class", said(scores + `,{"name":"class","datatype":"BYTES","shape":[2],"data":["no","no"]}`)},
		{"negative", said(`{"name":"scores","datatype":"FP32","shape":[2,2],"data":[-0.5,1.5,0.5,0.5]},` + classes)},
		{"too little", said(`{"name":"scores","datatype":"FP32","shape":[2,2],"data":[0.25,0.5,0.5,0.5]},` + classes)},
		{"too much", said(`{"name":"scores","datatype":"FP32","shape":[2,2],"data":[0.75,0.75,0.5,0.5]},` + classes)},
		{"not finite", said(`{"name":"scores","datatype":"FP32","shape":[2,2],"data":[0.25,1e40,0.5,0.5]},` + classes)},
		{"another model", strings.Replace(said(scores+`,`+classes), `"m"`, `"marker"`, 1)},
		{"another request", strings.Replace(said(scores+`,`+classes), `"outputs"`, `"id":"marker","outputs"`, 1)},
		{"a field of its own", strings.Replace(said(scores+`,`+classes), `"outputs"`, `"marker":1,"outputs"`, 1)},
		{"no JSON", `marker`},
		{"more behind it", said(scores+`,`+classes) + `marker`},
		{"deep", said(scores + `,{"name":"class","datatype":"BYTES","shape":[2],"data":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var attempts atomic.Int64
			s := liar(t, func(w http.ResponseWriter, _ *http.Request) {
				attempts.Add(1)
				write(w, tt.body)
			})
			got, err := classify(t.Context(), s)
			var e *client.Unavailable
			if !errors.As(err, &e) || e.Code != "malformed_answer" || got != nil || strings.Contains(err.Error(), "marker") {
				t.Errorf("answers %v, error %v, want malformed_answer that quotes nothing", got, err)
			}
			if attempts.Load() != 1 {
				t.Errorf("%d attempts, want one: a lie is not mended by asking again", attempts.Load())
			}
		})
	}
	s := liar(t, func(w http.ResponseWriter, _ *http.Request) { write(w, said(classes+`,`+scores)) })
	if got, err := classify(t.Context(), s); err != nil || got[0].Class != "yes" || got[1].Scores["no"] != 0.5 {
		t.Errorf("an honest answer: %v, %v", got, err)
	}
	s = liar(t, func(w http.ResponseWriter, _ *http.Request) {
		write(w, strings.Replace(said(classes+`,`+scores), `"model_version":"1",`, "", 1))
	})
	if _, err := classify(t.Context(), s); err != nil {
		t.Errorf("an honest answer that names no version: %v", err)
	}
}

// TestNotANumber: binary data can say what JSON cannot.
func TestNotANumber(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		head := said(`{"name":"scores","datatype":"FP32","shape":[2,2],"parameters":{"binary_data_size":16}},` + classes)
		s := liar(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Inference-Header-Content-Length", fmt.Sprint(len(head)))
			write(w, head)
			for _, p := range []float32{float32(v), 1, 0.5, 0.5} {
				_ = binary.Write(w, binary.LittleEndian, p)
			}
		})
		if got, err := classify(t.Context(), s); err == nil {
			t.Errorf("a score of %v was believed: %v", v, got)
		}
	}
}

// TestEndless: what is read of an answer is bounded by what the batch can need,
// whatever the server says of its length, and asked for once.
func TestEndless(t *testing.T) {
	const most = 4 << 20 // what a kernel may hold of a connection, far below the 64 MiB that once were read
	for _, tt := range []struct {
		name   string
		length string
		status int
	}{{"without a length", "", 200}, {"with a length", "99999999999", 200}, {"a refusal", "", 400}, {"a fault", "", 503}} {
		t.Run(tt.name, func(t *testing.T) {
			var sent, attempts atomic.Int64
			s := liar(t, func(w http.ResponseWriter, _ *http.Request) {
				attempts.Add(1)
				if tt.length != "" {
					w.Header().Set("Content-Length", tt.length)
				}
				w.WriteHeader(tt.status)
				block := []byte(strings.Repeat(" ", 1<<16))
				for sent.Load() < 256<<20 {
					n, err := w.Write(block)
					sent.Add(int64(n))
					if err != nil {
						return
					}
				}
			})
			_, err := classify(t.Context(), s)
			var e *client.Unavailable
			if !errors.As(err, &e) || e.Code != "malformed_answer" || attempts.Load() != 1 {
				t.Errorf("error %v after %d attempts, want malformed_answer after one", err, attempts.Load())
			}
			if sent.Load() > most {
				t.Errorf("%d bytes were sent, want at most %d", sent.Load(), most)
			}
		})
	}
}

// TestPacked: nothing is unpacked.
func TestPacked(t *testing.T) {
	var wanted atomic.Value
	s := liar(t, func(w http.ResponseWriter, r *http.Request) {
		wanted.Store(r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		write(z, said(scores+`,`+classes))
		_, _ = io.Copy(z, io.LimitReader(spaces{}, 128<<20)) // nobody reads it
	})
	_, err := classify(t.Context(), s)
	var e *client.Unavailable
	if !errors.As(err, &e) || e.Code != "malformed_answer" || wanted.Load() != "identity" {
		t.Errorf("error %v, asked for %v, want malformed_answer and nothing packed", err, wanted.Load())
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestHeaders: an endless header is cut.
func TestHeaders(t *testing.T) {
	s := liar(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Filler", strings.Repeat("x", 1<<20))
		write(w, said(scores+`,`+classes))
	})
	var e *client.Unavailable
	if _, err := classify(t.Context(), s); !errors.As(err, &e) || e.Status != 0 {
		t.Errorf("error %v, want an Unavailable without an answer", err)
	}
}

// TestDrip: a server that sends a byte now and then holds nobody for longer than
// the caller waits.
func TestDrip(t *testing.T) {
	release := make(chan struct{})
	s := liar(t, func(w http.ResponseWriter, _ *http.Request) {
		write(w, "{")
		w.(http.Flusher).Flush()
		<-release
	})
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var e *client.Unavailable
	if _, err := classify(ctx, s); !errors.As(err, &e) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want an Unavailable that the deadline brought", err)
	}
}

// TestMoved: a redirect is a refusal and sends no vector elsewhere.
func TestMoved(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	s := liar(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	var e *client.Refused
	if _, err := classify(t.Context(), s); !errors.As(err, &e) || e.Status != http.StatusTemporaryRedirect || elsewhere.Load() != 0 {
		t.Errorf("error %v, %d requests elsewhere, want a refusal and none", err, elsewhere.Load())
	}
}

// TestRefusalsAreDoubted: of a refusal nothing is repeated that could be more
// than a reason.
func TestRefusalsAreDoubted(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, tt := range []struct {
		status     int
		body, code string
	}{
		{400, `{"error":"\u001b[31mmarker` + long + `","code":"wrong_width"}`, "wrong_width"},
		{400, `{"error":"m","code":"` + long + `"}`, "unknown"},
		{403, `{"error":{"code":"over_budget","asked":8,"left":0}}`, "unknown"},
	} {
		s := liar(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			write(w, tt.body)
		})
		_, err := classify(t.Context(), s)
		var e *client.Refused
		if !errors.As(err, &e) || e.Code != tt.code || len(err.Error()) > 500 || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%.60s: error %.600v, want a short one of code %s", tt.body, err, tt.code)
		}
	}
}

// TestMetadataLies: a description that no model has is not believed.
func TestMetadataLies(t *testing.T) {
	for _, tt := range []struct{ name, old, new string }{
		{"another name", `"name":"m"`, `"name":"other"`},
		{"no input", `[-1,2]`, `[]`},
		{"no width", `[-1,2]`, `[-1,-2]`},
		{"one class", `["no","yes"]`, `["no"]`},
		{"a class twice", `["no","yes"]`, `["no","no"]`},
		{"two labels of one name", `"classes"`, `"labels":[{"name":"a","classes":["x","y"],"scores":"a.scores","class":"a.class"},{"name":"a","classes":["x","y"],"scores":"b.scores","class":"b.class"}],"classes"`},
		{"two outputs of one name", `"classes"`, `"labels":[{"name":"a","classes":["x","y"],"scores":"a","class":"a"}],"classes"`},
		{"outputs without names", `"classes"`, `"labels":[{"name":"a","classes":["x","y"]},{"name":"b","classes":["x","y"]}],"classes"`},
		{"a giant", `"method":"noise"`, `"method":"` + strings.Repeat("x", 8<<20) + `"`},
		{"a long version", `["1"]`, `["` + strings.Repeat("x", 1000) + `"]`},
	} {
		s := asked(t, func(w http.ResponseWriter, _ *http.Request) {
			write(w, strings.Replace(about, tt.old, tt.new, 1))
		})
		var e *client.Unavailable
		if m, err := s.Model(t.Context()); !errors.As(err, &e) || e.Code != "malformed_answer" {
			t.Errorf("%s: %+v, %v, want malformed_answer", tt.name, m, err)
		}
	}
}
