package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"sotto/promise/dp"
	"sotto/service/client"
)

// speak returns the address of something that always answers alike.
func speak(status int, body string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
}

func ExampleClient_Embed() {
	// In place of: sotto gateway
	gateway := speak(http.StatusOK, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":"AACAPwAAAL8="}],
		"privacy":{"mechanism":"laplace-l1","unit":"text","epsilon":8,"delta":0,"cost":8,"spent":8,"left":72}}`)
	defer gateway.Close()

	c, err := client.New(gateway.URL, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := c.Embed(context.Background(), client.Request{Texts: []string{"I feel unwell today"}, User: "alice"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Vectors[0], e.Privacy.Guarantee(), "left:", e.Privacy.Left)
	// Output: [1 -0.5] ε = 8 (text-level) left: 72
}

func ExampleOverBudget() {
	gateway := speak(http.StatusForbidden, `{"error":{"message":"…","type":"insufficient_budget","code":"over_budget","param":null,
		"asked":8,"left":3.5,"renews":"2030-01-02T00:00:00Z"}}`)
	defer gateway.Close()

	c, err := client.New(gateway.URL, client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Embed(context.Background(), client.Request{Texts: []string{"one too many"}, User: "alice"})
	var over *client.OverBudget
	fmt.Println(errors.As(err, &over))
	fmt.Println(err)
	// Output:
	// true
	// client: over budget: ε 8 asked and 3.5 left, renews at 2030-01-02T00:00:00Z
}

func ExampleServer() {
	// In place of: sotto serve --model DIR
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"name":"seed-1","versions":["1"],"inputs":[{"name":"vector","datatype":"FP32","shape":[-1,2]}],
				"parameters":{"method":"noise","classes":["negative","positive"],"guarantee":{"unit":"text","epsilon":8,"delta":0}}}`))
			return
		}
		_, _ = w.Write([]byte(`{"model_name":"seed-1","model_version":"1","outputs":[
			{"name":"scores","datatype":"FP32","shape":[1,2],"data":[0.25,0.75]},
			{"name":"class","datatype":"BYTES","shape":[1],"data":["positive"]}]}`))
	}))
	defer server.Close()

	s, err := client.NewServer(server.URL, "seed-1", client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	released := [][]float32{{1, -0.5}}
	answers, err := s.Classify(context.Background(), released, dp.Guarantee{Unit: dp.Text, Epsilon: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answers[0].Class, answers[0].Scores)
	// Output: positive map[negative:0.25 positive:0.75]
}
