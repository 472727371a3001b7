package serve_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestGatewayPage(t *testing.T) {
	base, stop := startGateway(t, append(gatewayPlaces(t), "--page", "--mask-names", "capitals")...)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(content), "<h1>sotto gateway</h1>") {
		t.Errorf("the page is answered with %d (%v)", response.StatusCode, err)
	}
	// A try is for the page; a program asks for embeddings, masked alike.
	if a := postGateway(t, base+"/page/try", "", `{"input": "a"}`); a.Error.Code != "cross_origin" {
		t.Errorf("a try of no page: %+v, want a refusal", a)
	}
	if a := postGateway(t, base+"/v1/embeddings", "", `{"input": ["I met Ada", "I met Bob"]}`); a.Privacy.Paid != 1 {
		t.Errorf("paid for %d of two texts that differ in a name, want one", a.Privacy.Paid)
	}
	if said := stop(); !strings.Contains(said, "a page to try it: "+base+"/") {
		t.Errorf("it does not say where the page is: %s", said)
	}
}

func TestGatewayPageRefused(t *testing.T) {
	keys := keyFile(t)
	for _, tt := range []struct{ args, want string }{
		{"--page --listen :0", "--page without --keys"},
		{"--page --production --listen 127.0.0.1:0 --keys " + keys, "--page shows raw vectors"},
		{"--mask nowhere --listen 127.0.0.1:0", "no such file"},
		{"--dropout 0.5", "unknown flag"},
	} {
		if err := gatewayCommand(t.Context(), io.Discard, io.Discard, append(gatewayPlaces(t), strings.Fields(tt.args)...)...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want %q", tt.args, err, tt.want)
		}
	}
}
