// Package kserve holds the messages of the KServe v2 inference protocol, also
// known as the Open Inference Protocol, as far as vectors and class names need
// it: tensors of 32-bit floats and of strings, in JSON or behind it in binary.
//
// It moves no bytes over a network and judges no model; packages server and
// client do. Errors never quote a number of a tensor.
//
//	req, err := kserve.ParseRequest(body, headerLength)
//	answer, headerLength, err := kserve.Response{ModelName: "m", Outputs: outputs}.Encode()
package kserve
