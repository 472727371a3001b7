package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"sotto/service/server"
)

func ExampleServer() {
	s, err := server.New(server.Config{Model: stored}) // a folder of sotto train --out
	if err != nil {
		fmt.Println(err)
		return
	}
	h := httptest.NewServer(s.Handler())
	defer h.Close()

	res, err := http.Post(h.URL+"/v2/models/"+modelName+"/infer", "application/json", strings.NewReader(`{
		"parameters": {"sotto_privacy": {"unit": "text", "epsilon": "infinite", "delta": 0}},
		"inputs": [{"name": "vector", "datatype": "FP32", "shape": [1, 2], "data": [0.5, 0.5]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	fmt.Print(res.StatusCode, " ", string(body))
	fmt.Println(err)
	// Output:
	// 400 {"error":"parameter sotto_privacy promises nothing: unit, epsilon and delta must be a guarantee with a finite epsilon","code":"no_guarantee"}
	// <nil>
}
