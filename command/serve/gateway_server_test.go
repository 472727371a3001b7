package serve_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// TestGatewayServerClasses: with --model a server is believed the model's classes
// alone, unless somebody says that those it names first are right.
func TestGatewayServerClasses(t *testing.T) {
	dir := filepath.Join(smallModel(t), "seed-1")
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"name":"m","inputs":[{"shape":[-1,4]}],"parameters":{"classes":["hired","fired"],"guarantee":{"unit":"text","epsilon":8}}}`
		if r.Method != http.MethodGet {
			answer = `{"model_name":"m","outputs":[{"name":"scores","datatype":"FP32","shape":[1,2],"data":[0,1]},{"name":"class","datatype":"BYTES","shape":[1],"data":["fired"]}]}`
		}
		if _, err := io.WriteString(w, answer); err != nil {
			t.Error(err)
		}
	}))
	defer h.Close()
	flags := append(gatewayPlaces(t), "--model", dir, "--server", h.URL, "--server-model", "m")
	const body = `{"input": "what a wonderful day"}`
	base, stop := startGateway(t, flags...)
	if a := postGateway(t, base+"/v1/classify", "", body); a.Error.Code != "server_invalid" {
		t.Errorf("with the model's classes: %+v, want server_invalid", a)
	}
	if said := stop(); !strings.Contains(said, "classes_changed") || strings.Contains(said, "fired") {
		t.Errorf("the log says %s, want classes_changed and nothing of the server's", said)
	}
	base, stop = startGateway(t, append(flags, "--server-classes", "first")...)
	if a := postGateway(t, base+"/v1/classify", "", body); a.Error.Code != "" || len(a.Data) != 1 {
		t.Errorf("with the first classes: %+v, want an answer", a)
	}
	stop()
	for _, bad := range [][]string{{"--server-classes", "any"}, {"--server-classes", "model"}} {
		if code, _, errs := clitest.Sotto(t, "", append(append([]string{"gateway"}, gatewayPlaces(t)...), bad...)...); code == command.ExitDone || !strings.Contains(errs, "--server-classes") {
			t.Errorf("%v: exit %d, %s, want a refusal", bad, code, errs)
		}
	}
}
