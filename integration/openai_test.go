package integration_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const (
	model = "sotto"
	width = 128 // of the built-in encoder
)

// officialClient is OpenAI's client with nothing changed but the address.
func officialClient(p *process, key string) *openai.Client {
	c := openai.NewClient(option.WithBaseURL(p.base+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0))
	return &c
}

// privacy is what the tests look at of an answer's privacy.
type privacy struct {
	Epsilon, Cost, Left float64
	Paid, Repeated      int
}

func privacyOf(t *testing.T, r *openai.CreateEmbeddingResponse) privacy {
	t.Helper()
	var p privacy
	if err := json.Unmarshal([]byte(r.JSON.ExtraFields["privacy"].Raw()), &p); err != nil {
		t.Fatalf("the answer's privacy: %v", err)
	}
	return p
}

func one(s string) openai.EmbeddingNewParamsInputUnion {
	return openai.EmbeddingNewParamsInputUnion{OfString: openai.String(s)}
}

func many(s ...string) openai.EmbeddingNewParamsInputUnion {
	return openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: s}
}

// TestOpenAI asks for the same text in each way that OpenAI's client has.
func TestOpenAI(t *testing.T) {
	t.Parallel()
	p := gateway(t)
	c := officialClient(p, "unused")
	const text = "the parcel never arrived in Porto"
	embed := func(params openai.EmbeddingNewParams) *openai.CreateEmbeddingResponse {
		t.Helper()
		params.Model, params.User = model, openai.String("walter")
		r, err := c.Embeddings.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := embed(openai.EmbeddingNewParams{Input: one(text)})
	if got := privacyOf(t, first); len(first.Data) != 1 || len(first.Data[0].Embedding) != width || got.Cost != 8 || got.Left != 72 || got.Paid != 1 {
		t.Fatalf("%d vectors with %+v, want one of %d numbers for 8, and 72 left", len(first.Data), got, width)
	}
	if first.Model != model || first.Usage.TotalTokens != 6 {
		t.Errorf("model is %q and usage %d, want %q and 6 words", first.Model, first.Usage.TotalTokens, model)
	}
	again := embed(openai.EmbeddingNewParams{Input: one(text), EncodingFormat: openai.EmbeddingNewParamsEncodingFormatBase64, Dimensions: openai.Int(width)})
	if got := privacyOf(t, again); got.Cost != 0 || got.Left != 72 || got.Repeated != 1 {
		t.Errorf("the same text again: %+v, want it for nothing", got)
	}
	if !sameNumbers(first.Data[0].Embedding, again.Data[0].Embedding) {
		t.Error("base64 holds other numbers than the list, must hold the same")
	}
	batch := embed(openai.EmbeddingNewParams{Input: many("another text", text, "another text")})
	if got := privacyOf(t, batch); got.Cost != 8 || got.Paid != 1 || got.Repeated != 2 || got.Left != 64 {
		t.Errorf("three texts of which one is new: %+v, want one paid for", got)
	}
	for i, e := range batch.Data {
		if e.Index != int64(i) {
			t.Errorf("vector %d has index %d", i, e.Index)
		}
	}
	if !sameNumbers(batch.Data[1].Embedding, first.Data[0].Embedding) || !sameNumbers(batch.Data[0].Embedding, batch.Data[2].Embedding) {
		t.Error("equal texts of a batch have different vectors")
	}
	models, err := c.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 || models.Data[0].ID != model {
		t.Errorf("models are %v (%v), want %s", models, err, model)
	}
	p.silent(t, text, "walter", "another text")
}

// sameNumbers compares as float32, which is what was released: a list spells
// the shortest decimal of it, base64 its bits.
func sameNumbers(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return float32(x) == float32(y) })
}

// TestOpenAIErrors checks that OpenAI's client reads the errors as its own.
func TestOpenAIErrors(t *testing.T) {
	t.Parallel()
	key, keys := newKey(t, "--subject", "shop")
	p := gateway(t, "--keys", keys, "--budget", "16")
	good := openai.EmbeddingNewParams{Input: many("one", "two"), Model: model, User: openai.String("bob")}
	if _, err := officialClient(p, key).Embeddings.New(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, key  string
		params     openai.EmbeddingNewParams
		status     int
		kind, code string
		param      string
	}{
		{"over budget", key, openai.EmbeddingNewParams{Input: one("three"), Model: model, User: openai.String("bob")}, http.StatusForbidden, "insufficient_budget", "over_budget", ""},
		{"another key", key + "x", good, http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", ""},
		{"another model", key, openai.EmbeddingNewParams{Input: one("three"), Model: openai.EmbeddingModelTextEmbedding3Small}, http.StatusNotFound, "invalid_request_error", "model_not_found", "model"},
		{"dimensions", key, openai.EmbeddingNewParams{Input: one("three"), Model: model, Dimensions: openai.Int(7)}, http.StatusBadRequest, "invalid_request_error", "invalid_value", "dimensions"},
		{"tokens", key, openai.EmbeddingNewParams{Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfTokens: []int64{1, 2}}, Model: model}, http.StatusBadRequest, "invalid_request_error", "invalid_value", "input"},
		{"no text", key, openai.EmbeddingNewParams{Input: one(""), Model: model}, http.StatusBadRequest, "invalid_request_error", "invalid_value", "input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := officialClient(p, tt.key).Embeddings.New(t.Context(), tt.params)
			var e *openai.Error
			if !errors.As(err, &e) {
				t.Fatalf("error is %v, want one of the client's own", err)
			}
			if e.StatusCode != tt.status || e.Type != tt.kind || e.Code != tt.code || e.Param != tt.param {
				t.Errorf("got %d %q %q %q, want %d %q %q %q", e.StatusCode, e.Type, e.Code, e.Param, tt.status, tt.kind, tt.code, tt.param)
			}
			if tt.code == "over_budget" && (e.JSON.ExtraFields["asked"].Raw() != "8" || e.JSON.ExtraFields["left"].Raw() != "0") {
				t.Errorf("over budget says %s, want 8 asked and 0 left", e.RawJSON())
			}
		})
	}
	p.silent(t, key, "bob", `"two"`)
}

// TestOpenAIAlias asks by the name of a model of OpenAI's, as a program does whose
// settings nobody wants to touch but for the address.
func TestOpenAIAlias(t *testing.T) {
	t.Parallel()
	const alias = openai.EmbeddingModelTextEmbedding3Small
	p := gateway(t, "--alias", alias)
	c := officialClient(p, "unused")
	r, err := c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{Input: one("the parcel never arrived"), Model: alias})
	if err != nil {
		t.Fatal(err)
	}
	if r.Model != alias || len(r.Data) != 1 || len(r.Data[0].Embedding) != width {
		t.Errorf("model is %q with %d vectors, want %q and one", r.Model, len(r.Data), alias)
	}
	found, err := c.Models.Get(t.Context(), alias)
	if err != nil || found.ID != alias {
		t.Errorf("the model is %v (%v), want %s", found, err, alias)
	}
	models, err := c.Models.List(t.Context())
	if err != nil || len(models.Data) != 2 || models.Data[1].ID != alias {
		t.Errorf("models are %v (%v), want %s and %s", models, err, model, alias)
	}
	// Token ids of another model mean nothing here, and the error says what to do.
	for _, input := range []openai.EmbeddingNewParamsInputUnion{{OfArrayOfTokens: []int64{1, 2}}, {OfArrayOfTokenArrays: [][]int64{{1, 2}, {3}}}} {
		var e *openai.Error
		if _, err = c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{Input: input, Model: alias}); !errors.As(err, &e) || e.StatusCode != http.StatusBadRequest || !strings.Contains(e.Message, "check_embedding_ctx_length=False") {
			t.Errorf("tokens: %v, want 400 and advice", err)
		}
	}
}

// TestOpenAIScopes: a key with another scope is refused in a form that OpenAI's
// client reads.
func TestOpenAIScopes(t *testing.T) {
	t.Parallel()
	key, keys := newKey(t, "--subject", "prometheus", "--scope", "metrics")
	p := gateway(t, "--keys", keys)
	var e *openai.Error
	if _, err := officialClient(p, key).Embeddings.New(t.Context(), openai.EmbeddingNewParams{Input: one("a"), Model: model}); !errors.As(err, &e) || e.StatusCode != http.StatusForbidden || e.Code != "missing_scope" {
		t.Errorf("a key for metrics: %v, want 403 missing_scope", err)
	}
}
