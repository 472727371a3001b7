// Package integration tests the command as its users meet it: a real gateway
// process, asked by OpenAI's own client, by the examples and by a browser that opens
// its page; a server, called by gRPC's own client; a studio, in which a browser goes
// from a file to a report by keyboard; and action.yml, run as GitHub runs it.
//
// It is a module of its own, so that who uses sotto does not inherit what only
// these tests need, and it holds nothing but tests. The smallest use is
//
//	integration/run
package integration
