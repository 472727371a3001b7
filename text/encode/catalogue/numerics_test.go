package catalogue_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/static"
)

// TestNumerics: built-in encoders are exact, files are what they hold, transformers say
// their kernels, and who answers from elsewhere is refused.
func TestNumerics(t *testing.T) {
	dir := t.TempDir()
	words := filepath.Join(dir, "words.txt")
	write := func(content string) {
		if err := os.WriteFile(words, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	say := func(spec string) (encode.Numerics, error) {
		e, err := catalogue.Open(t.Context(), catalogue.Said(spec), "")
		if err != nil {
			t.Fatal(err)
		}
		return encode.NumericsOf(e)
	}
	for _, name := range []string{"default", "hash", "hash:16"} {
		if n, err := say(name); err != nil || !n.Exact() {
			t.Errorf("%s says %+v, %v; want that it is exact", name, n, err)
		}
	}
	write("a 1 2\nb 3 4\n")
	first, err := say(words)
	if err != nil || first.Weights == "" || first.Kernel != "" {
		t.Errorf("word vectors say %+v, %v; want the digest alone", first, err)
	}
	write("a 1 2\nb 3 5\n")
	if n, failed := say(words); failed != nil || n == first {
		t.Errorf("other word vectors at the same place say %+v, %v", n, failed)
	}
	own, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(dir, "own.static")
	if err = own.Save(table); err != nil {
		t.Fatal(err)
	}
	if n, failed := say(table); failed != nil || n.Weights != static.DefaultDigest() || n.Kernel != "" {
		t.Errorf("a table says %+v, %v", n, failed)
	}
	folder := t.TempDir()
	if err = tiny.Even().Write(folder); err != nil {
		t.Fatal(err)
	}
	if n, failed := say(folder); failed != nil || n.Kernel == "" || n.Bits == "" || n.Weights == "" {
		t.Errorf("a transformer says %+v, %v", n, failed)
	}
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if n, failed := say("endpoint:" + s.URL + "?model=m&dim=4"); failed == nil || !strings.Contains(failed.Error(), "must be an encoder that this program computes itself") {
		t.Errorf("an endpoint says %+v, %v", n, failed)
	}
}
