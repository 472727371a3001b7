package serve_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/service/httpserve/servetest"
)

// TestServeHead has a gateway release codes of a model for two labels, and a
// server that holds nothing but its head answer them.
func TestServeHead(t *testing.T) {
	dir := t.TempDir()
	model, head := filepath.Join(dir, "model"), filepath.Join(dir, "head")
	if code, _, errs := clitest.Sotto(t, "", strings.Fields("train --data reviews --limit 300 --labels sentiment,author --method codes --epsilon 4 --encoder hash:32 --epochs 2 --out "+model)...); code != command.ExitDone {
		t.Fatal(errs)
	}
	seed := filepath.Join(model, "seed-1")
	code, out, errs := clitest.Sotto(t, "", "serve", "head", seed, head)
	if code != command.ExitDone || !strings.Contains(out, "by codes, ε = 4 (text-level)") {
		t.Fatalf("exit code %d, %s %s, want what the head takes", code, out, errs)
	}
	if code, _, errs = clitest.Sotto(t, "", "serve", "head", head, seed); code == command.ExitDone || !strings.Contains(errs, "holds a whole model") {
		t.Errorf("over a whole model: exit code %d, %s, want a refusal", code, errs)
	}
	log, end := serveCommand(t, "--model", head)
	base, stop := startGateway(t, append(gatewayPlaces(t), "--model", seed, "--server", log.line(t, "serving", 1)["address"].(string))...)
	a := postGateway(t, base+"/v1/embeddings", "", `{"input": "what a wonderful day", "dimensions": 1}`)
	if len(a.Data) != 1 || strings.ContainsAny(string(a.Data[0].Embedding), ",.") || a.Privacy.Mechanism != "codes" || a.Privacy.Parameters.Value("weights") != nil {
		t.Errorf("release of a code: %s with %+v, want one index", a.Data[0].Embedding, a.Privacy)
	}
	a = postGateway(t, base+"/v1/classify", "", `{"input": "what a wonderful day"}`)
	if len(a.Data) != 1 || len(a.Data[0].Labels) != 2 || a.Data[0].Labels["sentiment"].Class != a.Data[0].Class || a.Data[0].Labels["author"].Class == "" || a.Privacy.Cost != 0 {
		t.Errorf("classes: %+v, want one of each label for what was released", a)
	}
	stop()
	if err := end(); err != nil {
		t.Error(err)
	}
	// A gateway needs the encoder, which a head has not.
	if err := gatewayCommand(t.Context(), &servetest.Buffer{}, &servetest.Buffer{}, append(gatewayPlaces(t), "--model", head, "--listen", "127.0.0.1:0")...); err == nil {
		t.Error("a gateway started with a head")
	}
}
