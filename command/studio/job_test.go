package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
	"sotto/service/httpserve/servetest"
)

func TestJobs(t *testing.T) {
	b := start(t, studio.Config{})
	begin := func(work studio.Work) string {
		t.Helper()
		id, err := b.Start("test", work)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := begin(func(_ context.Context, tell studio.Tell) (any, error) {
		tell(0.5, "half")
		tell(0.2, "") // never goes back
		return map[string]int{"n": 7}, nil
	})
	if j := b.Finish(id); j.State != "done" || j.Share != 1 || string(j.Result) != `{"n":7}` || j.Error != "" {
		t.Errorf("the end is %+v", j)
	}
	id = begin(func(context.Context, studio.Tell) (any, error) {
		return nil, errors.New("train: epsilon is 0, must be positive")
	})
	if j := b.Finish(id); j.State != "failed" || j.Error != "Epsilon is 0, must be positive" || j.Result != nil {
		t.Errorf("a failure is %+v", j)
	}
	id = begin(func(context.Context, studio.Tell) (any, error) { panic("a text") })
	if j := b.Finish(id); j.State != "failed" || j.Error == "" {
		t.Errorf("a panic is %+v", j)
	}

	// One runs at a time, others wait, and all can be stopped.
	running := make(chan struct{})
	first := begin(func(ctx context.Context, _ studio.Tell) (any, error) {
		close(running)
		<-ctx.Done()
		return "late", nil
	})
	<-running
	var waiting []string
	for range 7 {
		waiting = append(waiting, begin(func(context.Context, studio.Tell) (any, error) { return 1, nil }))
	}
	if _, err := b.Start("test", nil); err == nil {
		t.Error("a ninth job is taken")
	}
	var j studiotest.Job
	if b.Ask("GET", "/api/jobs/"+waiting[6], "", http.StatusOK, &j); j.State != "waiting" {
		t.Errorf("the last is %+v, want it to wait", j)
	}
	b.Ask("DELETE", "/api/jobs/"+waiting[6], "", http.StatusAccepted, &j)
	b.Ask("DELETE", "/api/jobs/"+first, "", http.StatusAccepted, &j)
	if j := b.Finish(first); j.State != "stopped" || j.Result != nil {
		t.Errorf("what was stopped is %+v", j)
	}
	if j := b.Finish(waiting[6]); j.State != "stopped" {
		t.Errorf("what was stopped while it waited is %+v", j)
	}
	if j := b.Finish(waiting[0]); j.State != "done" {
		t.Errorf("the next is %+v", j)
	}
	b.Refused("GET", "/api/jobs/none", "", http.StatusNotFound, "begin it again")
	b.Refused("DELETE", "/api/jobs/none", "", http.StatusNotFound, "begin it again")
}

// TestCloseStops closes a studio while something runs and something waits.
func TestCloseStops(t *testing.T) {
	b := start(t, studio.Config{})
	running, ended := make(chan struct{}), make(chan error, 1)
	if _, err := b.Start("test", func(ctx context.Context, _ studio.Tell) (any, error) {
		close(running)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}); err != nil {
		t.Fatal(err)
	}
	<-running
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("what ran ended with %v", err)
	}
	if _, err := b.Start("test", nil); err == nil {
		t.Error("a closed studio begins something")
	}
}

// TestServe ends a studio while a page waits for news of work that goes on, and
// while a file is being dropped.
func TestServe(t *testing.T) {
	s, err := studio.New(studio.Config{})
	if err != nil {
		t.Fatal(err)
	}
	running := make(chan struct{})
	id, err := s.Start("test", func(ctx context.Context, _ studio.Tell) (any, error) {
		close(running)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	<-running
	address, end := servetest.Start(t, s.Serve)
	_, secret, _ := strings.Cut(s.Address(studiotest.At), "#")
	_, body, _ := servetest.Ask(t, "POST", "http://"+address+"/api/enter", `{"secret": "`+secret+`"}`)
	var session struct{ Session string }
	if err := json.Unmarshal([]byte(body), &session); err != nil {
		t.Fatal(err)
	}
	head := "Host: " + address + "\r\nAuthorization: Bearer " + session.Session + "\r\n"
	waits := servetest.Dial(t, address, "GET /api/jobs/"+id+"?after=1000 HTTP/1.1\r\n"+head+"\r\n")
	drops := servetest.Dial(t, address, "POST /api/data/upload?name=a.csv HTTP/1.1\r\n"+head+"Content-Length: 100000000\r\n\r\ntext,label\n")
	go func() {
		for { // as long as anybody reads it
			if _, err := drops.Write([]byte("a text,1\n")); err != nil {
				return
			}
		}
	}()
	for len(files(t, s)) == 0 { // until it has begun
		runtime.Gosched()
	}
	if err := end(); err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
	if answer, err := io.ReadAll(waits); err != nil || !strings.Contains(string(answer), "200 OK") {
		t.Errorf("who waited is answered with %q (%v)", answer, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.PrivateDir()); !os.IsNotExist(err) {
		t.Errorf("after the end the folder is still there (%v)", err)
	}
}

// TestConcurrent drops files and follows work from many pages at once.
func TestConcurrent(t *testing.T) {
	b := start(t, studio.Config{})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			name, body := fmt.Sprintf("f%d.csv", i), "text,label\n"+strings.Repeat(fmt.Sprintf("a text by %d,1\nanother by %d,2\n", i, i), 10+i)
			w := b.Send("POST", "/api/data/upload?name="+name, body)
			var u studiotest.Understood
			if err := json.Unmarshal(w.Body.Bytes(), &u); err != nil || u.Name != name || u.Rows != 2*(10+i) {
				t.Errorf("%s is understood as %s with %d rows (%v)", name, u.Name, u.Rows, err)
			}
			id, err := b.Start("test", func(context.Context, studio.Tell) (any, error) { return i, nil })
			if err != nil {
				t.Error(err)
				return
			}
			for { // without Fatal, which is for the test's own goroutine
				var j studiotest.Job
				if err := json.Unmarshal(b.Send("GET", "/api/jobs/"+id, "").Body.Bytes(), &j); err != nil {
					t.Error(err)
					return
				}
				if j.State == "done" {
					if string(j.Result) != strconv.Itoa(i) {
						t.Errorf("job %d gave %s", i, j.Result)
					}
					return
				}
			}
		})
	}
	group.Wait()
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"experiment: own: column is \"x\", must be a, b":              "Column is \"x\", must be a, b",
		"open /tmp/sotto-studio-123/files/456/mine.csv: bad":          "Open mine.csv: bad",
		"data/table: /tmp/sotto-studio-1/files/2/my-file.csv: line 3": "my-file.csv: line 3",
		"ε = 4 is too much": "ε = 4 is too much",
		"a: one\nb: two":    "One\nTwo",
	} {
		if got := studio.Plain(errors.New(in)); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
	if got := studio.Plain(fmt.Errorf("x: %w", context.Canceled)); got != "Stopped." {
		t.Errorf("of an end it says %q", got)
	}
}
