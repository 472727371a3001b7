package serve_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/compute/nn/transformer/tiny"
)

// TestTunedEverywhere tunes a foreign transformer, whose vectors are those of first
// tokens, together with noise, a seed each, and gives what comes out to everything that
// takes a model, in another place than it was made.
func TestTunedEverywhere(t *testing.T) {
	t.Parallel()
	foreign, made, dir := t.TempDir(), filepath.Join(t.TempDir(), "made"), filepath.Join(t.TempDir(), "moved")
	m := tiny.Small()
	if err := errors.Join(m.Write(foreign), os.Mkdir(filepath.Join(foreign, "1_Pooling"), 0o700), tiny.WriteJSON(filepath.Join(foreign, "1_Pooling", "config.json"), map[string]any{
		"word_embedding_dimension": m.Hidden, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false,
	})); err != nil {
		t.Fatal(err)
	}
	sotto := func(args ...string) string {
		t.Helper()
		code, out, errs := clitest.Sotto(t, "", args...)
		if code != command.ExitDone {
			t.Fatalf("sotto %s: exit code %d: %s", strings.Join(args, " "), code, errs)
		}
		return out + errs
	}
	said := sotto("train", "--data", "reviews", "--limit", "100", "--encoder", foreign, "--tune", "--tune-epochs", "1", "--tune-length", "16",
		"--method", "dpnr", "--epsilon", "50", "--dim", "8", "--epochs", "2", "--seeds", "2", "--out", made)
	if !strings.Contains(said, "dpnr has an encoder of its own") || strings.Contains(said, foreign) {
		t.Errorf("it says %q, want that the method has an encoder of its own, and not where its parent lies", said)
	}
	if err := os.Rename(made, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(foreign); err != nil {
		t.Fatal(err)
	}
	if out := sotto("evaluate", dir); !strings.Contains(out, "dpnr") {
		t.Errorf("evaluate says %q", out)
	}
	sotto("attack", "--model", dir, "--mdl", "none")
	texts, second := clitest.TextFile(t, "texts.txt", "what a wonderful day\nit never arrived\n"), filepath.Join(dir, "seed-2")
	sotto("encode", "--in", texts, "--model", second, "--out", filepath.Join(dir, "released.npy"))
	sotto("encode", "--in", texts, "--encoder", filepath.Join(dir, "encoder-dpnr-dpnr-e50-d8-seed-2"), "--out", filepath.Join(dir, "raw.npy"))
	base, stop := startGateway(t, append(gatewayPlaces(t), "--model", second)...)
	if a := postGateway(t, base+"/v1/embeddings", "", `{"input": "what a wonderful day"}`); len(a.Data) != 1 || a.Privacy.Mechanism != "dpnr" || a.Privacy.Paid != 1 {
		t.Errorf("release of a model with an encoder of its own: %+v", a)
	}
	stop()
	if err := os.RemoveAll(filepath.Join(dir, "encoder-dpnr-dpnr-e50-d8-seed-2")); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := clitest.Sotto(t, "", "encode", "--in", texts, "--model", second, "--out", filepath.Join(dir, "again.npy")); code == command.ExitDone || !strings.Contains(errs, "is not beside the model") {
		t.Errorf("without its encoder, a model gives exit code %d and %q", code, errs)
	}
}
