// Package server is the untrusted side: it takes private vectors and answers
// with classes, over the KServe v2 inference protocol, for the models that
// "sotto train --out" stores.
//
// It never sees a text and draws no noise, and it refuses vectors that come
// without a guarantee, so that nobody sends it raw ones by mistake. That check
// is a courtesy to the sender, not a protection: who does not trust the server
// must see to the release on the other side of the line, with package gateway.
//
//	s, err := server.New(server.Config{Model: "model", Logger: logger})
//	err = s.Serve(ctx, listener) // until ctx ends, then drains
package server
