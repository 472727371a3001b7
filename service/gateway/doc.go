// Package gateway is the trusted side of a service: it holds texts, encoder,
// mechanism, secret and ledger, and lets out nothing but private vectors.
//
// A text is checked, encoded, paid for in the ledger and only then released.
// The noise is drawn from a stream that the secret keys, so that the same text
// of the same subject is answered with the same bytes, and costs nothing, as
// often as it is asked for ([Memoised]); or it is fresh and every request pays
// ([Fresh]). [Gateway] knows nothing of networks; [Service] puts it behind
// HTTP, in the form of OpenAI's embeddings.
//
// It is not for the untrusted side: whoever can read the memory, the secret or
// the requests of a gateway can read the texts. It keeps no texts and no
// vectors, and writes neither to logs, errors or metrics. The smallest use is
//
//	g, err := gateway.New(ctx, gateway.Config{Encoder: e, Mechanism: m, Ledger: book, Secret: secret})
//	released, err := g.Embed(ctx, "alice", []string{"I feel unwell today"}, gateway.Options{})
package gateway
