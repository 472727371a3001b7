// Package protobuf writes the messages of package kserve as protocol buffers, as
// the protocol does over gRPC. The file inference.proto, for clients, says which.
//
// It reads what anybody may send, so that it takes messages apart field by field
// instead of by generated code: a message of a few megabytes that says nothing but
// "here begins another tensor" would become hundreds of them. What is made of a
// message takes no more than a few times its bytes.
//
//	call, err := protobuf.ParseInfer(message)
//	…
//	answer := protobuf.AppendInfer(nil, response, call.Raw)
package protobuf
