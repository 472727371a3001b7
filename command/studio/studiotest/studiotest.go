// Package studiotest is a studio for tests of its tabs, and what a page asks of it.
package studiotest

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"sotto/command/studio"
	"sotto/data/dataset"
)

// Bench is a studio under test, and a session of it.
type Bench struct {
	*testing.T
	*studio.Studio
	Session string // "" asks as somebody who was not let in
	h       http.Handler
}

// At is an address that nobody listens on.
var At = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8789}

// Start makes a studio, and enters it.
func Start(t *testing.T, c studio.Config) *Bench {
	t.Helper()
	s, err := studio.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &Bench{T: t, Studio: s, h: s.Handler()}
	_, secret, _ := strings.Cut(s.Address(At), "#")
	b.Session = b.Enter(secret)
	if b.Session == "" {
		t.Fatal("the secret that is printed does not let in")
	}
	return b
}

// Enter exchanges a secret for a session; "" if it is refused.
func (b *Bench) Enter(secret string) string {
	b.Helper()
	w := b.Send("POST", "/api/enter", `{"secret": "`+secret+`"}`)
	var got struct{ Session string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		b.Fatal(err)
	}
	return got.Session
}

// Send sends a request with pairs of headers, a Host among them.
func (b *Bench) Send(method, path, body string, header ...string) *httptest.ResponseRecorder {
	b.Helper()
	return b.Stream(method, path, strings.NewReader(body), header...)
}

// Stream is Send with a body of any length.
func (b *Bench) Stream(method, path string, body io.Reader, header ...string) *httptest.ResponseRecorder {
	b.Helper()
	r := httptest.NewRequestWithContext(b.Context(), method, path, body)
	r.Host = "127.0.0.1:8789"
	if b.Session != "" {
		r.Header.Set("Authorization", "Bearer "+b.Session)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.h.ServeHTTP(w, r)
	return w
}

// Ask sends a request that must be answered with a status, and reads the JSON of
// the answer.
func (b *Bench) Ask(method, path, body string, status int, to any) {
	b.Helper()
	w := b.Send(method, path, body)
	if w.Code != status {
		b.Fatalf("%s %s is answered with %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	if err := json.Unmarshal(w.Body.Bytes(), to); err != nil {
		b.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
	}
}

// Refused sends a request that must be refused with a status and words.
func (b *Bench) Refused(method, path, body string, status int, words string) {
	b.Helper()
	var got struct{ Error string }
	b.Ask(method, path, body, status, &got)
	if !strings.Contains(got.Error, words) {
		b.Errorf("%s %s says %q, want %q", method, path, got.Error, words)
	}
}

// Job is work as the page sees it.
type Job struct {
	ID, State, Note, Error string
	Share                  float64
	Version                int
	Result                 json.RawMessage
}

// Finish follows work to its end.
func (b *Bench) Finish(id string) Job {
	b.Helper()
	j := Job{Version: -1}
	for j.State != "done" && j.State != "failed" && j.State != "stopped" {
		b.Ask("GET", "/api/jobs/"+id+"?after="+strconv.Itoa(j.Version), "", http.StatusOK, &j)
	}
	return j
}

// Follow asks for work, which must begin, and follows it to its end.
func (b *Bench) Follow(path, body string) Job {
	b.Helper()
	var begun struct{ Job string }
	b.Ask("POST", path, body, http.StatusAccepted, &begun)
	return b.Finish(begun.Job)
}

// Understood is what a test looks at of a file.
type Understood struct {
	Source   string
	Name     string
	Rows     int
	Columns  []struct{ Name, Kind string }
	Examples [][]string
	Choice   map[string]string
	Commands [][]string
}

// Drop drops a file, which must be understood.
func (b *Bench) Drop(name, content string) (u Understood) {
	b.Helper()
	b.Ask("POST", "/api/data/upload?name="+url.QueryEscape(name), content, http.StatusOK, &u)
	return u
}

// Sample takes the sample and returns the choice that is proposed, as JSON.
func (b *Bench) Sample() string {
	b.Helper()
	var u Understood
	b.Ask("POST", "/api/data/sample", "", http.StatusOK, &u)
	choice, err := json.Marshal(u.Choice)
	if err != nil {
		b.Fatal(err)
	}
	return string(choice)
}

// Few uploads the first so many rows of the sample, on which all is done in a fraction
// of the time. It returns the choice with them in its place, and how many are of the
// person who has the most.
func (b *Bench) Few(choice string, rows int) (string, int) {
	b.Helper()
	lines := strings.SplitAfter(dataset.SampleMessages(), "\n")[:rows+1]
	counts, most := map[string]int{}, 0
	for _, line := range lines[1:] {
		person := strings.Split(line, ",")[1]
		counts[person]++
		most = max(most, counts[person])
	}
	var all Understood
	u := b.Drop("few.csv", strings.Join(lines, ""))
	if err := json.Unmarshal([]byte(`{"choice": `+choice+`}`), &all); err != nil || u.Rows != rows {
		b.Fatalf("%d rows were uploaded, want %d: %v", u.Rows, rows, err)
	}
	all.Choice["source"] = u.Source
	content, err := json.Marshal(all.Choice)
	if err != nil {
		b.Fatal(err)
	}
	return string(content), most
}

// Train begins a training and returns the name of its job.
func (b *Bench) Train(choice string) string {
	b.Helper()
	var got struct{ Job string }
	b.Ask("POST", "/api/train/start", `{"choice": `+choice+`, "epsilon": 4, "seeds": 1}`, http.StatusAccepted, &got)
	return got.Job
}

// Markup holds tabs against what their markup and scripts must have and must not.
func Markup(t *testing.T, tabs []studio.Tab) {
	t.Helper()
	for _, x := range tabs {
		if !strings.Contains(x.HTML, "<h2") || strings.Contains(x.HTML, "style=") || strings.Contains(x.HTML, " on") && strings.Contains(x.HTML, "=\"javascript") {
			t.Errorf("tab %s must have a heading and no style or script of its own", x.Name)
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://"} {
			if strings.Contains(x.Script, bad) {
				t.Errorf("the script of tab %s has %s", x.Name, bad)
			}
		}
	}
}
