package gateway_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sotto/promise/dp"
	"sotto/service/gateway"
	"sotto/service/gateway/keys"
	"sotto/text"
	"sotto/text/encode"
)

// trial is what the page gets for a text.
type trial struct {
	Pieces []struct {
		Text   string
		Reason text.Type
	}
	Applied       bool
	Before, After []float32
	Code          *struct {
		Index, Of int
		Means     []struct{ Label, Class string }
	}
	Cosine *float64
	Read   *struct {
		Before, After []struct {
			Word string
			Hit  bool
		}
		Words int
	}
	Unread string
	Server *struct{ Class, Error string }
}

// trials asks as the page does.
func (s *site) trials(tb testing.TB, body string) ([]trial, gateway.Privacy) {
	tb.Helper()
	status, content, _ := s.ask(tb, http.MethodPost, "/page/try", body, "Sec-Fetch-Site", "same-origin")
	if status != http.StatusOK {
		tb.Fatalf("status %d: %s", status, content)
	}
	var a struct {
		Data    []trial
		Privacy gateway.Privacy
	}
	if err := json.Unmarshal([]byte(content), &a); err != nil {
		tb.Fatal(err)
	}
	return a.Data, a.Privacy
}

var vocabulary = []string{"[UNK]", "##ing", "of", "London", "pain", "doctor", "parcel", "weather", "naïve", "x1y"}

// TestPagePays compares a try with the same request for embeddings.
func TestPagePays(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{Page: &gateway.Page{Vocabulary: vocabulary}})
	got, p := s.trials(t, `{"input": "the doctor saw Ada", "user": "u"}`)
	// The ledger counts billionths of ε.
	if len(got) != 1 || p.Paid != 1 || !(p.Cost > 0 && p.Cost <= 2) || p.Spent != p.Cost || math.Abs(p.Spent+p.Left-20) > 0.5e-9 {
		t.Fatalf("%d trials with %+v, want one for at most 2 of 20", len(got), p)
	}
	a := s.embed(t, `{"input": "the doctor saw Ada", "user": "u"}`)
	var released []float32
	if err := json.Unmarshal(a.Data[0].Embedding, &released); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[0].After, released) || a.Privacy.Cost != 0 {
		t.Errorf("the page shows %v numbers, and the same text cost %v more, want the same release, paid once", len(got[0].After), a.Privacy.Cost)
	}
	raw := make([]float32, width)
	s.gateway.Encoder.(encode.Encoder).Encode(raw, "the doctor saw Ada")
	if !slices.Equal(got[0].Before, raw) {
		t.Error("before the noise the page does not show the encoder's vector")
	}
	if got[0].Server != nil || got[0].Applied || got[0].Cosine == nil {
		t.Errorf("without server and masks: %+v", got[0])
	}
	if status, content, _ := s.ask(t, http.MethodPost, "/page/try", `{"input": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], "user": "u"}`, "Sec-Fetch-Site", "same-origin"); status != http.StatusForbidden || parse(t, content).Error.Code != "over_budget" {
		t.Errorf("over budget: %d %s", status, content)
	}
	if said := s.log.String(); strings.Contains(said, "doctor") || strings.Contains(said, "Ada") {
		t.Errorf("the log holds the text: %s", said)
	}
	if _, content, _ := s.ask(t, http.MethodGet, "/metrics", ""); !strings.Contains(content, `sotto_gateway_requests_total{route="POST /page/try",status="200"} 1`) {
		t.Error("metrics do not count the try")
	}
}

// TestPageReads gives the attacker a vector that is a word's own.
func TestPageReads(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{Page: &gateway.Page{Vocabulary: vocabulary}})
	got, _ := s.trials(t, `{"input": "Parcel"}`)
	r := got[0].Read
	// Of the vocabulary five are whole words in small letters.
	if r == nil || r.Words != 5 || len(r.Before) != 5 || len(r.After) != 5 {
		t.Fatalf("the attacker reads %+v, want an order of five words", r)
	}
	for i, g := range r.Before {
		if g.Hit != (i == 0) || g.Hit != (g.Word == "parcel") {
			t.Errorf("guess %d is %s (%v), want the text's own word first and no other hit", i, g.Word, g.Hit)
		}
	}
}

// TestPageUnread checks that the page says why nothing was read.
func TestPageUnread(t *testing.T) {
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := fmt.Fprintf(w, `{"data":[{"index":0,"embedding":[1%s]}]}`, strings.Repeat(",0", width-1)); err != nil {
			t.Error(err)
		}
	}))
	defer endpoint.Close()
	e, err := encode.NewEndpoint(t.Context(), encode.EndpointConfig{Base: endpoint.URL, Model: "m", Dim: width})
	if err != nil {
		t.Fatal(err)
	}
	c := config(t)
	c.Encoder = e
	s := serve(t, c, gateway.ServiceConfig{Page: &gateway.Page{Vocabulary: vocabulary}})
	if got, _ := s.trials(t, `{"input": "a"}`); got[0].Read != nil || got[0].Unread == "" || len(got[0].Before) != width {
		t.Errorf("with an endpoint: %+v, want a vector and why no word was read", got[0])
	}
	s = serve(t, config(t), gateway.ServiceConfig{Page: &gateway.Page{}})
	if got, _ := s.trials(t, `{"input": "a"}`); got[0].Read != nil || got[0].Unread == "" {
		t.Errorf("without vocabulary: %+v", got[0])
	}
}

func TestPageMasks(t *testing.T) {
	list, err := text.ParseMaskList(strings.NewReader("parcel\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := config(t)
	c.Maskers = []text.Masker{list, &text.NameList{}}
	s := serve(t, c, gateway.ServiceConfig{Page: &gateway.Page{}})
	got, _ := s.trials(t, `{"input": "my parcel for Ada is lost"}`)
	var all, masked string
	for _, p := range got[0].Pieces {
		all += p.Text
		if p.Reason != "" {
			masked += p.Text + " " + string(p.Reason) + ";"
		}
	}
	if all != "my parcel for Ada is lost" || masked != "parcel listed;Ada name;" || !got[0].Applied {
		t.Errorf("pieces are %q with %q masked, applied %v", all, masked, got[0].Applied)
	}
	// What is masked has no part in the release.
	a := s.embed(t, `{"input": ["my parcel for Ada is lost", "my parcel for Bob is lost", "my letter for Bob is lost"]}`)
	if string(a.Data[0].Embedding) != string(a.Data[1].Embedding) || a.Privacy.Paid != 1 || string(a.Data[0].Embedding) == string(a.Data[2].Embedding) {
		t.Errorf("paid for %d, want texts that differ in masked words to be one release that the page had paid for", a.Privacy.Paid)
	}
}

// asked answers with a class, or fails.
type asked struct{ err error }

func (a asked) Classify(_ context.Context, vectors [][]float32, _ dp.Guarantee) ([]gateway.Answer, error) {
	return slices.Repeat([]gateway.Answer{{Class: "calm"}}, len(vectors)), a.err
}

func TestPageServer(t *testing.T) {
	for _, tt := range []struct {
		err         error
		class, says string
	}{
		{nil, "calm", ""},
		{fmt.Errorf("%w: %w", gateway.ErrServer, errors.New("the secret reason")), "", "the server does not answer; what was paid for stays paid"},
	} {
		s := serve(t, config(t), gateway.ServiceConfig{Page: &gateway.Page{}, Classifier: asked{tt.err}})
		got, p := s.trials(t, `{"input": ["a", "b"]}`)
		for _, x := range got {
			if x.Server == nil || x.Server.Class != tt.class || x.Server.Error != tt.says || len(x.After) != width || p.Paid != 2 {
				t.Errorf("error %v: %+v, want %q, %q and the release", tt.err, x.Server, tt.class, tt.says)
			}
		}
	}
}

// TestPageOrigin asks from where the page is not.
func TestPageOrigin(t *testing.T) {
	key, set := newKeys(t, keys.Order{Subject: "shop"})
	open := serve(t, config(t), gateway.ServiceConfig{Page: &gateway.Page{}}).service
	keyed := serve(t, config(t), gateway.ServiceConfig{Page: &gateway.Page{}, Keys: set}).service
	const same, cross = "same-origin", "cross-site"
	for _, tt := range []struct {
		name               string
		service            *gateway.Service
		host, site, origin string
		key                string
		page, try          int // status of each
	}{
		{"the page", open, "127.0.0.1:8787", same, "http://127.0.0.1:8787", "", 200, 200},
		{"the page by name", open, "localhost:8787", same, "", "", 200, 200},
		{"the page by address 6", open, "[::1]:8787", same, "", "", 200, 200},
		{"without a port", open, "localhost", same, "", "", 200, 200},
		{"an old browser", open, "localhost:8787", "", "http://localhost:8787", "", 200, 200},
		{"no browser", open, "localhost:8787", "", "", "", 200, 403},
		{"another site", open, "localhost:8787", cross, "https://evil.example", "", 200, 403},
		{"another site, old browser", open, "localhost:8787", "", "https://evil.example", "", 200, 403},
		{"another port", open, "localhost:8787", "same-site", "http://localhost:99", "", 200, 403},
		{"typed address", open, "localhost:8787", "none", "", "", 200, 403},
		{"a name that was pointed here", open, "evil.example", same, "http://evil.example", "", 403, 403},
		{"another machine's address", open, "10.1.1.1:8787", same, "", "", 403, 403},
		{"with a key", keyed, "gateway.example", same, "https://gateway.example", key, 200, 200},
		{"without it", keyed, "gateway.example", same, "https://gateway.example", "", 200, 401},
		{"with a key, from elsewhere", keyed, "gateway.example", cross, "https://evil.example", key, 200, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for method, want := range map[string]int{http.MethodGet: tt.page, http.MethodPost: tt.try} {
				r := httptest.NewRequestWithContext(t.Context(), method, map[string]string{http.MethodGet: "/", http.MethodPost: "/page/try"}[method], strings.NewReader(`{"input": "a"}`))
				r.Host = tt.host
				for name, value := range map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": tt.site, "Origin": tt.origin, "Authorization": "Bearer " + tt.key} {
					if value != "" {
						r.Header.Set(name, value)
					}
				}
				w := httptest.NewRecorder()
				tt.service.ServeHTTP(w, r)
				if w.Code != want {
					t.Errorf("%s is answered with %d, want %d", method, w.Code, want)
				}
				if allowed := w.Header().Get("Access-Control-Allow-Origin"); allowed != "" {
					t.Errorf("%s lets %q read it", method, allowed)
				}
			}
		})
	}
}

// TestPageItself checks that the page's own script and style are what its policy
// allows, and that nothing else is.
func TestPageItself(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{Page: &gateway.Page{}})
	status, content, header := s.ask(t, http.MethodGet, "/", "")
	policy := header.Get("Content-Security-Policy")
	if status != http.StatusOK || header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Fatalf("status %d with %v", status, header)
	}
	for _, element := range []string{"script", "style"} {
		all := regexp.MustCompile(`(?s)<`+element+`[^>]*>(.*?)</`+element+`>`).FindAllStringSubmatch(content, -1)
		if len(all) != 1 {
			t.Fatalf("%d elements %s, want one", len(all), element)
		}
		sum := sha256.Sum256([]byte(all[0][1]))
		if want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(policy, want) {
			t.Errorf("the policy is %s, must have %s", policy, want)
		}
	}
	for _, foreign := range []string{"https://", " style=", " onclick="} {
		if strings.Contains(content, foreign) {
			t.Errorf("the page holds %q, must not", foreign)
		}
	}
	without := serve(t, config(t), gateway.ServiceConfig{})
	for method, path := range map[string]string{http.MethodGet: "/", http.MethodPost: "/page/try"} {
		if status, content, _ := without.ask(t, method, path, `{"input": "a"}`, "Sec-Fetch-Site", "same-origin"); status != http.StatusNotFound || parse(t, content).Error.Code != "not_found" {
			t.Errorf("without a page %s is answered with %d", path, status)
		}
	}
}

func ExamplePage() {
	dir, err := os.MkdirTemp("", "gateway")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	g, err := exampleGateway(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: g, Page: &gateway.Page{Vocabulary: []string{"parcel", "weather"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	service.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}
