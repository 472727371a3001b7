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

// signedTuned trains and signs models with a tuned encoder each, and makes a second key.
func signedTuned(t *testing.T) (dir, key, other string) {
	t.Helper()
	top := t.TempDir()
	foreign := filepath.Join(top, "foreign")
	if err := errors.Join(os.Mkdir(foreign, 0o700), tiny.Small().Write(foreign)); err != nil {
		t.Fatal(err)
	}
	dir, key, other = filepath.Join(top, "mine"), filepath.Join(top, "k"), filepath.Join(top, "k2")
	for _, args := range [][]string{
		{"key", "make", key},
		{"key", "make", other},
		{
			"train", "--data", "reviews", "--limit", "100", "--encoder", foreign, "--tune", "--tune-epochs", "1", "--tune-length", "16",
			"--method", "dpnr", "--epsilon", "50", "--dim", "8", "--epochs", "2", "--out", dir, "--sign", key,
		},
	} {
		if code, _, errs := clitest.Sotto(t, "", args...); code != command.ExitDone {
			t.Fatalf("sotto %s: exit code %d: %s", strings.Join(args, " "), code, errs)
		}
	}
	return dir, key + ".pub", other + ".pub"
}

// encoderFile returns a file of the tuned encoder of a result.
func encoderFile(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "encoder*", "model*.safetensors"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no tuned encoder lies in %s: %v", dir, err)
	}
	return found[0]
}

// TestGatewayVerifies answers by a signed model with its tuned encoder, and by nothing
// else that lies in its place, also when it is told to read it anew.
func TestGatewayVerifies(t *testing.T) {
	temporary := t.TempDir()
	dir, key, other := signedTuned(t)
	t.Setenv("TMPDIR", temporary)
	model, file := filepath.Join(dir, "seed-1"), encoderFile(t, dir)
	// Who runs the gateway need not be who trained.
	if err := errors.Join(os.Remove(filepath.Join(model, "trained")), os.Remove(filepath.Join(dir, "results.json"))); err != nil {
		t.Fatal(err)
	}
	base, stop := startGateway(t, append(gatewayPlaces(t), "--model", model, "--verify", key, "--signed")...)
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("copies are left while the gateway runs: %v, %v", left, err)
	}
	if a := postGateway(t, base+"/v1/embeddings", "", `{"input": "what a wonderful day"}`); len(a.Data) != 1 || a.Privacy.Mechanism != "dpnr" {
		t.Errorf("a signed model answers %+v", a)
	}
	stop()
	refused := func(want string, more ...string) {
		t.Helper()
		code, out, errs := clitest.Sotto(t, "", append(append([]string{"gateway", "--listen", "127.0.0.1:0", "--model", model}, gatewayPlaces(t)...), more...)...)
		if code != command.ExitUse || out != "" || !strings.Contains(errs, want) {
			t.Errorf("gateway %v: exit code %d, %q, %q, want %d and %q", more, code, out, errs, command.ExitUse, want)
		}
	}
	refused("is by the key", "--verify", other)
	refused("--signed refuses", "--signed")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error {
			return os.WriteFile(file, append(content[:len(content)-1:len(content)-1], content[len(content)-1]^1), 0o600)
		}, "was changed"},
		{func() error { return os.WriteFile(filepath.Join(filepath.Dir(file), "long.json"), []byte("{}"), 0o600) }, "came after"},
		{func() error {
			return errors.Join(os.Remove(filepath.Join(filepath.Dir(file), "long.json")), os.Remove(file), os.Symlink("elsewhere", file))
		}, "is a link"},
		{func() error { return os.RemoveAll(filepath.Dir(file)) }, "is missing"},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		refused(step.want, "--verify", key)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("copies are left of what was refused: %v, %v", left, err)
	}
}

// TestProductionVerify wants a public key in production that nobody else exchanges.
func TestProductionVerify(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "k")
	if code, _, errs := clitest.Sotto(t, "", "key", "make", key); code != command.ExitDone {
		t.Fatal(errs)
	}
	if err := os.Chmod(key+".pub", 0o666); err != nil {
		t.Fatal(err)
	}
	secret := random(t, filepath.Join(t.TempDir(), "secret"))
	args := []string{"gateway", "--production", "--listen", "127.0.0.1:0", "--ledger", filepath.Join(dir, "ledger"), "--secret", secret, "--keys", keyFile(t), "--model", dir}
	code, _, errs := clitest.Sotto(t, "", append(args, "--verify", key+".pub")...)
	if code != command.ExitUse || !strings.Contains(errs, "--production: --verify") {
		t.Errorf("a public key that everybody writes: exit code %d, %s", code, errs)
	}
	code, _, errs = clitest.Sotto(t, "", append(args, "--signed")...)
	if code != command.ExitUse || !strings.Contains(errs, "--signed refuses") {
		t.Errorf("--signed without a key: exit code %d, %s", code, errs)
	}
	if _, _, errs = clitest.Sotto(t, "", args...); !strings.Contains(errs, "there is no --verify") {
		t.Errorf("a model that nobody vouches for, in production, without a warning: %s", errs)
	}
}
