package httpserve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// This part of the package answers unary calls of gRPC over the HTTP/2 of net/http, so that
// they stand under the same limits of memory, time and connections as all other
// requests: a call is a request whose body is one message behind five bytes, and
// whose status stands in the trailers.
//
// There are no streams, and no compression: a message is as large as it came.

// GRPCCode is a status of gRPC.
type GRPCCode int

// The codes that a call here may end with.
const (
	ok                GRPCCode = 0
	Cancelled         GRPCCode = 1
	InvalidArgument   GRPCCode = 3
	DeadlineExceeded  GRPCCode = 4
	NotFound          GRPCCode = 5
	ResourceExhausted GRPCCode = 8
	Unimplemented     GRPCCode = 12
	Internal          GRPCCode = 13
	Unavailable       GRPCCode = 14
)

// GRPCPrefix is how many bytes stand before a message.
const GRPCPrefix = 5

// Errors of what is no call, or one that is not answered.
var (
	ErrNoCall = errors.New("grpc: this is no call of gRPC over HTTP/2")
	ErrPacked = errors.New("grpc: the message is compressed, must be as it is")
	errFrame  = errors.New("grpc: the body is not one message behind its length")
)

// GRPCWriter marks an answer as one to a call, for whoever writes errors.
type GRPCWriter struct{ http.ResponseWriter }

// Unwrap is for [http.ResponseController].
func (w GRPCWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// CheckGRPC refuses what is no call, or asks for what is not there.
func CheckGRPC(r *http.Request) error {
	kind := r.Header.Get("Content-Type")
	switch {
	case r.ProtoMajor != 2 || kind != "application/grpc" && kind != "application/grpc+proto":
		return ErrNoCall
	case packed(r.Header.Get("Grpc-Encoding")):
		return ErrPacked
	}
	return nil
}

func packed(encoding string) bool { return encoding != "" && encoding != "identity" }

// GRPCTimeout returns how long the caller waits; 0 if it does not say, or for longer
// than anybody waits here.
func GRPCTimeout(r *http.Request) time.Duration {
	const longest = 8 // digits
	s := r.Header.Get("Grpc-Timeout")
	if len(s) < 2 || len(s) > longest+1 {
		return 0
	}
	unit, ok := map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond}[s[len(s)-1]]
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 32)
	if !ok || err != nil {
		return 0
	}
	if d := time.Duration(n); d <= time.Hour/unit {
		return max(1, d*unit)
	}
	return 0
}

// GRPCMessage returns the message in a body.
func GRPCMessage(body []byte) ([]byte, error) {
	switch {
	case len(body) < GRPCPrefix:
		return nil, errFrame
	case body[0] != 0:
		return nil, ErrPacked
	case uint64(binary.BigEndian.Uint32(body[1:])) != uint64(len(body)-GRPCPrefix):
		return nil, errFrame
	}
	return body[GRPCPrefix:], nil
}

// WriteGRPC answers a call with a message.
func WriteGRPC(w http.ResponseWriter, message []byte) {
	w.Header().Set("Content-Type", "application/grpc")
	head := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	w.Write(head)    //nolint:errcheck // whoever called is gone
	w.Write(message) //nolint:errcheck // see above
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
}

// FailGRPC answers a call with an error, and pairs of headers beside it.
func FailGRPC(w http.ResponseWriter, code GRPCCode, message string, headers ...string) {
	h := w.Header()
	h.Set("Content-Type", "application/grpc")
	h.Set("Grpc-Status", strconv.Itoa(int(code)))
	h.Set("Grpc-Message", escape(message))
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	w.WriteHeader(http.StatusOK)
}

// escape writes a sentence as a header may hold it: what is no letter of ASCII is
// written as a percent sign and two digits for each byte.
func escape(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
