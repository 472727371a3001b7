package gateway

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"sotto/internal/atomicfile"
	"sotto/internal/httpserve"
)

// wish is a request for embeddings or classes, as the body of a POST holds it.
type wish struct {
	texts      []string
	model      string
	base64     bool
	dimensions int // 0 for any
	user       string
}

// fieldsOf lists what each kind of request may say. Those of embeddings are all
// that OpenAI's have.
var (
	embeddingFields = []string{"input", "model", "encoding_format", "dimensions", "user"}
	classifyFields  = []string{"input", "model", "user"}
)

// readWish reads the body of a request.
func readWish(w http.ResponseWriter, r *http.Request, limit int64, fields []string) (wish, error) {
	// A form of a foreign page can be sent without asking; JSON can not.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		p := invalid("Content-Type", "Content-Type must be application/json")
		p.status, p.Code = http.StatusUnsupportedMediaType, "unsupported_media_type"
		return wish{}, p
	}
	body, err := httpserve.ReadBody(w, r, limit)
	if errors.Is(err, httpserve.ErrTooLarge) {
		return wish{}, tooLarge("", "the body has more than "+strconv.FormatInt(limit, 10)+" bytes, must have fewer")
	} else if err != nil {
		return wish{}, invalid("", "the body ended early or came too slowly")
	}
	return parseWish(body, fields)
}

// parseWish parses a body strictly: one object, each field once, in its own
// spelling, and no other.
func parseWish(body []byte, fields []string) (wish, error) {
	if !utf8.Valid(body) {
		return wish{}, invalid("", "the body is not UTF-8, must be JSON in UTF-8")
	}
	values, err := object(body, fields)
	if err != nil {
		return wish{}, err
	}
	var q wish
	if q.texts, err = texts(values["input"]); err != nil {
		return q, err
	}
	for name, to := range map[string]*string{"model": &q.model, "user": &q.user} {
		if err := stringOf(name, values[name], to); err != nil {
			return q, err
		}
	}
	var format string
	if err := stringOf("encoding_format", values["encoding_format"], &format); err != nil {
		return q, err
	}
	if format != "" && format != "float" && format != "base64" {
		return q, invalid("encoding_format", "encoding_format must be float or base64")
	}
	q.base64 = format == "base64"
	if v := values["dimensions"]; present(v) {
		if json.Unmarshal(v, &q.dimensions) != nil || q.dimensions < 1 {
			return q, invalid("dimensions", "dimensions must be a positive whole number")
		}
	}
	return q, nil
}

// object takes an object apart.
func object(body []byte, fields []string) (map[string]json.RawMessage, error) {
	values := make(map[string]json.RawMessage, len(fields))
	err := atomicfile.ParseObject(body, func(name string, value json.RawMessage) error {
		if !slices.Contains(fields, name) {
			// The name is the client's and may be anything, so it is not repeated.
			return invalid("", "the body has a field that is not known, may have %v", fields)
		}
		if values[name] != nil {
			return invalid(name, "%s is given twice, must be given once", name)
		}
		values[name] = value
		return nil
	})
	if errors.Is(err, atomicfile.ErrObject) {
		err = invalid("", "the body is malformed, must be one JSON object")
	}
	return values, err
}

// present reports whether a field was given; null is the same as absent.
func present(v json.RawMessage) bool { return v != nil && string(v) != "null" }

func stringOf(name string, v json.RawMessage, to *string) error {
	if present(v) && json.Unmarshal(v, to) != nil {
		return invalid(name, "%s must be a string", name)
	}
	return nil
}

// texts reads one text or a list of them.
func texts(v json.RawMessage) ([]string, error) {
	if !present(v) {
		return nil, invalid("input", "input is missing, must be a text or a list of texts")
	}
	var one string
	if json.Unmarshal(v, &one) == nil {
		return []string{one}, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		return nil, invalid("input", "input must be a text or a list of texts")
	}
	many := make([]string, len(list))
	for i, item := range list {
		if item[0] != '"' || json.Unmarshal(item, &many[i]) != nil {
			return nil, invalid("input", "input must hold texts; lists of token ids are not taken, since the encoder here has tokens of its own")
		}
	}
	return many, nil
}

// encodeVector writes a vector as OpenAI's clients read it: a list of numbers,
// or the base64 of 32-bit floats, least significant byte first.
func encodeVector(v []float32, inBase64 bool) json.RawMessage {
	if inBase64 {
		raw := make([]byte, 0, 4*len(v))
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
		out := append(make([]byte, 0, 2+base64.StdEncoding.EncodedLen(len(raw))), '"')
		return append(base64.StdEncoding.AppendEncode(out, raw), '"')
	}
	out := append(make([]byte, 0, 13*len(v)), '[')
	for i, x := range v {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendFloat(out, float64(x), 'g', -1, 32)
	}
	return append(out, ']')
}
