package integration_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3"
)

// coded is the folder of a model that was trained once.
var coded = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(workplace, "codes")
	for _, args := range [][]string{
		{"train", "--data", "reviews", "--limit", "400", "--labels", "sentiment,author", "--method", "codes", "--epsilon", "4", "--epochs", "5", "--seeds", "1", "--out", filepath.Join(dir, "model")},
		{"serve", "head", filepath.Join(dir, "model", "seed-1"), filepath.Join(dir, "head")},
	} {
		if out, failed := exec.Command(binary, args...).CombinedOutput(); failed != nil {
			return "", fmt.Errorf("%w: %s", failed, out)
		}
	}
	return dir, nil
})

// trainedCodes returns the folder of a model whose release is a code that answers two
// labels, and that of its head.
func trainedCodes(t *testing.T) (model, head string) {
	t.Helper()
	dir, err := coded()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "model", "seed-1"), filepath.Join(dir, "head")
}

// TestOpenAICodes asks for the vector of a code and for its index, in both
// encodings of OpenAI's client.
func TestOpenAICodes(t *testing.T) {
	t.Parallel()
	folder, _ := trainedCodes(t)
	c := officialClient(gateway(t, "--model", folder), "unused")
	embed := func(dimensions int64, format openai.EmbeddingNewParamsEncodingFormat) []float64 {
		t.Helper()
		params := openai.EmbeddingNewParams{Input: one("the parcel never arrived"), Model: model, EncodingFormat: format}
		if dimensions > 0 {
			params.Dimensions = openai.Int(dimensions)
		}
		r, err := c.Embeddings.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		return r.Data[0].Embedding
	}
	const float, base64 = openai.EmbeddingNewParamsEncodingFormatFloat, openai.EmbeddingNewParamsEncodingFormatBase64
	vector := embed(0, float)
	index := embed(1, float)
	if len(vector) != 4 || len(index) != 1 || !(index[0] >= 0 && index[0] < 4) || vector[int(index[0])] != 1 {
		t.Fatalf("vector %v and index %v, want a 1 at the index", vector, index)
	}
	if got := embed(1, base64); !sameNumbers(got, index) {
		t.Errorf("base64 has the index %v, want %v", got, index)
	}
	if got := embed(4, base64); !sameNumbers(got, vector) {
		t.Errorf("base64 has the vector %v, want %v", got, vector)
	}
}

// TestPageCodes shows a code by its number and meaning, and what the server says
// of each label.
func TestPageCodes(t *testing.T) {
	t.Parallel()
	folder, head := trainedCodes(t)
	s := launch(t, "serve", "--model", head)
	p := gateway(t, "--page", "--model", folder, "--server", s.base)
	b := open(t, p.base+"/", "#text")
	b.release("What a wonderful day")
	if got := b.shown("after-note"); !strings.HasPrefix(got, "code ") || !strings.Contains(got, " of 0 to 3, which stands for sentiment: ") || !strings.Contains(got, ", author: ") {
		t.Errorf("of the code it says %q, want number and meaning", got)
	}
	// The only number that is not zero, and the line in the middle.
	if got := eval[int](b, `document.querySelectorAll("#after rect").length`); got != 2 {
		t.Errorf("the picture has %d parts, want one bar and the line", got)
	}
	if got := b.shown("server"); !strings.Contains(got, "It says of sentiment ") || !strings.Contains(got, "It says of author ") || eval[int](b, `document.querySelectorAll("#server progress").length`) != 4 {
		t.Errorf("the server says %q, want classes and scores of both labels", got)
	}
	b.fits("codes")
	b.clean()
}
