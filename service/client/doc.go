// Package client asks the two programs of this module over HTTP: [Client] the
// gateway, which takes texts and is trusted, and [Server] the server, which
// takes private vectors and is not.
//
// Both retry what a retry can mend. A request to the gateway carries an
// idempotency key, so that one that is sent twice is released and paid for
// once. No error quotes a text, a vector or a key. Neither follows redirects,
// since that would send a text somewhere else than it was meant for.
//
//	c, err := client.New("http://127.0.0.1:8787", client.Options{Key: key})
//	e, err := c.Embed(ctx, client.Request{Texts: []string{"I feel unwell today"}, User: "alice"})
package client
