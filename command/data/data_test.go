package data_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/data"
	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/data/testenv"
)

func TestDataList(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := clitest.Sotto(t, "", "data", "list", "--json", "--dir", dir)
	var got data.DataList
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || got.Dir != dir {
		t.Fatalf("exit code %d, %v: %s", code, err, errs)
	}
	present := 0
	for _, s := range got.Sets {
		if s.Present {
			present++
		}
	}
	if len(got.Sets) < 20 || present != 1 {
		t.Errorf("%d sets, %d present, want all, and of an empty folder reviews alone", len(got.Sets), present)
	}
	code, out, _ = clitest.Sotto(t, "", "data", "list", "--dir", dir)
	for _, want := range []string{"reviews            built in", "adult              no", "CC BY 4.0", "sex, race, age", "folder: " + dir} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, output lacks %q:\n%s", code, want, out)
		}
	}
}

func TestDataSample(t *testing.T) {
	dir := t.TempDir()
	file, inbox, other := filepath.Join(dir, "sample.csv"), filepath.Join(dir, dataset.SampleNewName), filepath.Join(dir, "other.csv")
	code, out, errs := clitest.Sotto(t, "", "data", "sample", "--out", file)
	if code != command.ExitDone || out != "" || !strings.Contains(errs, file+": 500 messages to learn from") || !strings.Contains(errs, inbox+": 200 later ones") {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	if code, out, errs = clitest.Sotto(t, "", "data", "sample", "--out", "-", "--inbox", other); code != command.ExitDone || out != dataset.SampleMessages() {
		t.Errorf("exit code %d: %s", code, errs)
	}
	for path, want := range map[string]string{file: dataset.SampleMessages(), inbox: dataset.SampleNewMessages(), other: dataset.SampleNewMessages()} {
		if content, err := os.ReadFile(path); err != nil || string(content) != want {
			t.Errorf("%s is not the sample: %v", path, err)
		}
	}
	for _, wrong := range []string{"-", file} {
		if code, out, errs = clitest.Sotto(t, "", "data", "sample", "--out", file, "--inbox", wrong); code != command.ExitUse || out != "" {
			t.Errorf("--inbox %s: exit code %d: %s", wrong, code, errs)
		}
	}
}

func TestDataFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOTTO_DATA", dir)
	if code, out, _ := clitest.Sotto(t, "", "data", "list"); code != command.ExitDone || !strings.Contains(out, "folder: "+dir) {
		t.Errorf("exit code %d, output lacks the folder of SOTTO_DATA:\n%s", code, out)
	}
	if code, out, _ := clitest.Sotto(t, "", "data"); code != command.ExitDone || !strings.Contains(out, "verify") {
		t.Errorf("sotto data: exit code %d, want its help:\n%s", code, out)
	}
}

func TestDataVerify(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name  string
		write string // content of yelp's file; "" for none
		args  []string
		code  int
		want  string // in output or errors
	}{
		{"all absent", "", nil, command.ExitDone, "adult: absent"},
		{"built in", "", []string{"reviews"}, command.ExitDone, "reviews: built in"},
		{"absent and named", "", []string{"yelp"}, command.ExitNo, "yelp_labelled.txt is absent"},
		{"unknown", "", []string{"yelp", "nope"}, command.ExitUse, `name is "nope", must be one of adult, `},
		{"wrong", "bad", []string{"yelp"}, command.ExitNo, "yelp_labelled.txt is wrong: it holds 3 bytes, must hold 61293"},
		{"one wrong of all", "bad", nil, command.ExitNo, "yelp: wrong"},
		{"wrong as JSON", "bad", []string{"yelp", "--json"}, command.ExitNo, `"state": "wrong"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, "sentiment_labelled_sentences", "yelp_labelled.txt")
			if tt.write != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(tt.write), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code, out, errs := clitest.Sotto(t, "", append([]string{"data", "verify", "--dir", dir}, tt.args...)...)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("exit code %d, want %d; %q in\n%s%s", code, tt.code, tt.want, out, errs)
			}
		})
	}
}

// mirror serves the files of the data sets at hand, or skips.
func mirror(t *testing.T, name string) (address string, asked *atomic.Int32) {
	t.Helper()
	testenv.Set(t, name)
	asked = new(atomic.Int32)
	home := testenv.Data(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		data, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Write(data) //nolint:errcheck // the client may have gone
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func TestDataGet(t *testing.T) {
	address, asked := mirror(t, "yelp")
	dir := filepath.Join(t.TempDir(), "new", "folder")
	code, out, errs := clitest.Sotto(t, "", "data", "get", "yelp", "--dir", dir, "--mirror", address+"/")
	if code != command.ExitDone || !strings.Contains(out, "fetched and verified") || !strings.Contains(out, "CC BY 4.0") {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	if code, _, _ = clitest.Sotto(t, "", "data", "verify", "yelp", "--dir", dir); code != command.ExitDone {
		t.Errorf("what was fetched does not verify: exit code %d", code)
	}
	if s, err := dataset.Load("yelp", dataset.Options{Dir: dir}); err != nil || s.Rows != 1000 {
		t.Errorf("what was fetched does not load: %v", err)
	}
	code, out, _ = clitest.Sotto(t, "", "data", "get", "yelp", "--dir", dir, "--mirror", address, "--json")
	var got dataset.Fetched
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || len(got.Files) != 1 || got.Files[0].Fetched {
		t.Errorf("second get: exit code %d, %v, %s; want nothing fetched", code, err, out)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times, want once", n)
	}
}

func TestDataGetBad(t *testing.T) {
	serve := func(h http.HandlerFunc) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	text := func(n int) string {
		return serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(strings.Repeat("x", n))) //nolint:errcheck // the client may have gone
		})
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, tt := range []struct {
		name, set, mirror, want string
	}{
		{"short", "yelp", text(10), "it holds 10 bytes, must hold 61293"},
		{"long", "yelp", text(70000), "it holds more than 61293 bytes, must hold 61293"},
		{"other content", "yelp", text(61293), "its SHA-256 is "},
		{"not found", "yelp", serve(http.NotFound), "the server answered 404 Not Found"},
		{"redirect to http", "yelp", serve(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.invalid/", http.StatusFound)
		}), "redirects away from https"},
		{"offline", "yelp", closed.URL, "If this machine is offline"},
		{"plain mirror", "yelp", "http://example.invalid", "must be an https address"},
		{"no mirror", "yelp", "ftp:", "must be an https address"},
		{"no public home", "celeba", "", "ask at https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html (licence: research use)"},
		{"unknown", "nope", "", `name is "nope", must be one of`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			code, out, errs := clitest.Sotto(t, "", "data", "get", tt.set, "--dir", dir, "--mirror", tt.mirror)
			if code != command.ExitUse || out != "" || !strings.Contains(errs, tt.want) {
				t.Errorf("exit code %d, want %d and %q: %s%s", code, command.ExitUse, tt.want, out, errs)
			}
			err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					t.Errorf("%s was left behind", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, line := range []string{"data get", "data get a b", "data get yelp --timeout 0s"} {
		if code, _, _ := clitest.Sotto(t, "", strings.Fields(line)...); code != command.ExitUse {
			t.Errorf("sotto %s: exit code %d, want %d", line, code, command.ExitUse)
		}
	}
	if code, out, _ := clitest.Sotto(t, "", "data", "get", "reviews"); code != command.ExitDone || !strings.Contains(out, "nothing to get") {
		t.Errorf("sotto data get reviews: exit code %d: %s", code, out)
	}
}

// TestDataGetStopped checks that neither a slow server nor Ctrl-C leaves a part.
func TestDataGetStopped(t *testing.T) {
	release := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("a part")) //nolint:errcheck // the client may have gone
		w.(http.Flusher).Flush()
		<-release
	}))
	defer server.Close()
	defer close(release)
	dir := t.TempDir()
	code, _, errs := clitest.Sotto(t, "", "data", "get", "yelp", "--dir", dir, "--mirror", server.URL, "--timeout", "200ms")
	if code != command.ExitUse || !strings.Contains(errs, "200ms have passed") {
		t.Errorf("slow server: exit code %d: %s", code, errs)
	}
	cancel()
	var out, warn strings.Builder
	if code := command.Run(ctx, []string{"data", "get", "yelp", "--dir", dir, "--mirror", server.URL}, term.Streams{In: nil, Out: &out, Err: &warn}); code != command.ExitUse || !strings.Contains(warn.String(), "interrupted") {
		t.Errorf("interrupted: exit code %d: %s", code, warn.String())
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
