// Package keys holds the API keys of a gateway: who asks with each, for what and
// until when.
//
// A file of keys has an [Entry] a line, with a salted hash of the key. A key is 128
// random bits, so that the hash, which is a fast one, gives nobody the key.
//
//	key, entry, err := keys.New(keys.Order{Subject: "shop", Scopes: []keys.Scope{keys.Embed}})
package keys
