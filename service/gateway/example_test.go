package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/text/encode"
)

// exampleGateway makes a gateway whose ledger lies in a folder.
func exampleGateway(dir string) (*gateway.Gateway, error) {
	book, err := ledger.OpenFile(filepath.Join(dir, "ledger"), ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: 16, Window: 24 * time.Hour}})
	if err != nil {
		return nil, err
	}
	e, err := encode.NewHash(32)
	if err != nil {
		return nil, err
	}
	m, err := mech.New(mech.Params{Mechanism: "codebook", Dim: 32, Epsilon: 8})
	if err != nil {
		return nil, err
	}
	secret, err := gateway.NewSecret(bytes.Repeat([]byte("not for use "), 3)[:32]) // gateway.LoadSecret in earnest
	if err != nil {
		return nil, err
	}
	return gateway.New(context.Background(), gateway.Config{Encoder: e, Mechanism: m, Ledger: book, Secret: secret})
}

func ExampleGateway_Embed() {
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
	for _, text := range []string{"I feel unwell today", "I feel unwell today", "so do I", "and so does he"} {
		e, err := g.Embed(context.Background(), "alice", []string{text}, gateway.Options{})
		if err != nil {
			fmt.Println(strings.SplitN(err.Error(), ",", 2)[0])
			continue
		}
		fmt.Printf("%d numbers, cost ε = %v, left ε = %v\n", len(e.Vectors[0]), e.Privacy.Cost, e.Privacy.Left)
	}
	// Output:
	// 32 numbers, cost ε = 8, left ε = 8
	// 32 numbers, cost ε = 0, left ε = 8
	// 32 numbers, cost ε = 8, left ε = 0
	// ledger: over budget: asked for ε = 8
}

func ExampleService() {
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
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: g})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := httptest.NewRequest(http.MethodPost, "http://localhost/v1/embeddings", strings.NewReader(`{"input": [1, 2, 3]}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	service.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
	// Output:
	// 400 {"error":{"message":"input must hold texts; lists of token ids are not taken, since the encoder here has tokens of its own: have the client send strings, in LangChain by OpenAIEmbeddings(check_embedding_ctx_length=False)","type":"invalid_request_error","code":"invalid_value","param":"input"}}
}
