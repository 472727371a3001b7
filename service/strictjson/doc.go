// Package strictjson reads JSON that strangers send, in one pass and within
// limits: it allocates nothing but what the caller asks for, so that what a
// message costs is known before it is paid.
//
// The caller says what it expects, and refuses what is too much where it stands:
// the 257th element of a list, not the list. A message must be UTF-8 and well
// formed to its end; it may be nested as deep as [Reader.Depth] says. Names of
// fields are as they are written, and one that stands there twice is handed over
// twice. It is not for files of ours, which encoding/json reads.
//
// What a string or a number means is what encoding/json makes of it, to the bit.
// Errors say where, and never what was there.
//
//	r := strictjson.Reader{Data: body, Depth: 4}
//	err := r.Object(func(name []byte) error {
//		if string(name) != "input" {
//			return errUnknown
//		}
//		text, err = r.String()
//		return err
//	})
//	if err == nil {
//		err = r.End()
//	}
package strictjson
