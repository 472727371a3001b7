package house_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// unfused are the packages that compute a number between a text and its release.
// A product that is fused with a sum is rounded once instead of twice, which
// turns near-ties: the same text would get a second, different release on
// another build.
var unfused = []string{
	"promise/noise", "promise/mech", "compute/channel", "text", "compute/nn", "compute/nn/vector", "compute/nn/transformer", "compute/nn/sequence", "text/encode", "text/encode/static", "text/encode/svec", "text/encode/wordfile", "text/encode/bert", "learn/model", "compute/forest",
	"study/language", "study/language/english", "study/language/mask", "study/language/names", "study/language/personal", "study/language/parse", "study/language/model", "study/link", "study/link/mention", "study/link/records", "study/relation/rule", "study/relation", "study/relation/joint", // masks by type decide what is encoded
}

// fused matches the instructions in a listing of the compiler, with their place.
var fused = regexp.MustCompile(`\(([^()]+\.go:\d+)\)\s+V?FN?M(?:ADD|SUB)\S*`)

// TestNothingFuses compiles these packages for a processor that can fuse, and
// finds no such instruction in what Go compiled. An explicit conversion,
// float64(a*b) + c, forbids it. Kernels in assembly are the same on every build.
// The compiler fuses for arm64 whatever it fuses for amd64 with GOAMD64=v3, and
// differences besides, so that one of them is enough.
func TestNothingFuses(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("compiles half of the module for another processor; set SOTTO_LONG=1")
	}
	t.Parallel()
	if found := fusedIn(t, "GOARCH=arm64"); len(found) > 0 {
		t.Errorf("a product is fused with a sum at %s", strings.Join(found, ", "))
	}
}

// TestPinnedElsewhere runs the tests that pin releases and vectors to the bit
// for a processor that can fuse: for arm64, which differs in kernels too, where there is an
// emulator, and with GOAMD64=v3 where there is none. Either has Go's own library compiled
// once more.
func TestPinnedElsewhere(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("builds for another processor; set SOTTO_LONG=1")
	}
	t.Parallel()
	run := func(env []string, args ...string) {
		c := exec.Command("go", append(append([]string{"test", "-vet=off", "-count=1", "-run", "^TestPinned$"}, args...), "./promise/mech", "./text/encode/catalogue")...)
		c.Dir = "../.."
		c.Env = append(os.Environ(), append(env, "CGO_ENABLED=0")...)
		switch out, err := c.CombinedOutput(); {
		case err == nil:
			t.Logf("%v: the same bits", env)
		case bytes.Contains(out, []byte("can not be run on this CPU")) || bytes.Contains(out, []byte("microarchitecture support")):
			t.Logf("%v: left out, this processor cannot run it", env)
		default:
			t.Errorf("%v: %v\n%s", env, err, out)
		}
	}
	if qemu, err := exec.LookPath("qemu-aarch64"); err == nil {
		run([]string{"GOARCH=arm64"}, "-exec", qemu)
		return
	}
	t.Log("arm64: left out, there is no qemu-aarch64")
	run([]string{"GOARCH=amd64", "GOAMD64=v3"})
}

// TestFusedIsFound: a product that is added is fused where it can be, so that
// the test above would find it.
func TestFusedIsFound(t *testing.T) {
	listing := []byte("\t0x0010 00016 (x/a.go:3)\tVFMADD231SD\tX0, X2, X1\n\t0x0014 00020 (x/a.go:4)\tMULSD\tX0, X1\n\t0x0018 00024 (y/b.go:9)\tFMSUBD\tF0, F1, F2, F3\n")
	if got := places(listing); len(got) != 2 || got[0] != "x/a.go:3" || got[1] != "y/b.go:9" {
		t.Errorf("fused instructions at %v, want x/a.go:3 and y/b.go:9", got)
	}
}

// fusedIn compiles all of them at once, since each build by itself takes as long to begin
// as to compile, and returns where the compiler fused.
func fusedIn(t *testing.T, target string) []string {
	t.Helper()
	args := []string{"build"}
	for _, pkg := range unfused {
		args = append(args, "-gcflags="+module+"/"+pkg+"=-S")
	}
	for _, pkg := range unfused {
		args = append(args, "./"+pkg)
	}
	build := exec.Command("go", args...)
	build.Dir = "../.."
	build.Env = append(os.Environ(), target, "CGO_ENABLED=0")
	listing, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("it does not build for %s: %v\n%s", target, err, listing[max(0, len(listing)-2000):])
	}
	for _, pkg := range unfused {
		if !bytes.Contains(listing, []byte("# "+module+"/"+pkg+"\n")) {
			t.Errorf("%s for %s: the compiler listed nothing", pkg, target)
		}
	}
	return places(listing)
}

// places returns where a listing has fused instructions.
func places(listing []byte) []string {
	var found []string
	for _, m := range fused.FindAllSubmatch(listing, -1) {
		found = append(found, string(m[1]))
	}
	return found
}
