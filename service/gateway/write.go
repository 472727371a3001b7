package gateway

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"sync"
)

// Answers of embeddings are written by hand, byte for byte as encoding/json would:
// most of an answer is the same for every request, and was a tenth of the work.

// buffers are for answers that are being written.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxKept is how large a buffer may be that is kept for another answer.
const maxKept = 1 << 16

// frame is what is the same in the privacy of every answer: what stands before the
// cost, and behind the number of releases that were paid for.
type frame struct{ before, behind []byte }

func newFrame(p Privacy) (frame, error) {
	whole, err := json.Marshal(p)
	if err != nil {
		return frame{}, err
	}
	before, rest, ok := bytes.Cut(whole, []byte(`"cost":0,`))
	_, behind, found := bytes.Cut(rest, []byte(`"paid":0`))
	if !ok || !found {
		return frame{}, errors.New("gateway: the promise has no place for what a request cost")
	}
	return frame{before, behind}, nil
}

// append appends what is promised of a release and what it cost, as JSON.
func (f frame) append(b []byte, p *Privacy) []byte {
	b = append(b, f.before...)
	for _, n := range [...]struct {
		name  string
		value float64
	}{{`"cost":`, p.Cost}, {`,"spent":`, p.Spent}, {`,"left":`, p.Left}, {`,"spent_delta":`, p.SpentDelta}, {`,"left_delta":`, p.LeftDelta}} {
		b = appendFloat(append(b, n.name...), n.value)
	}
	b = append(b, `,"renews":`...)
	if p.Renews == nil {
		b = append(b, "null"...)
	} else {
		const form = `"2006-01-02T15:04:05.999999999Z07:00"`
		b = p.Renews.AppendFormat(b, form)
	}
	b = strconv.AppendInt(append(b, `,"repeated":`...), int64(p.Repeated), 10)
	b = strconv.AppendInt(append(b, `,"paid":`...), int64(p.Paid), 10)
	return append(b, f.behind...)
}

// appendFloat appends a finite number as encoding/json does, in as few digits as
// tell it from others.
func appendFloat(b []byte, x float64) []byte {
	if abs := math.Abs(x); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, x, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, x, 'e', -1, 64)
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 is e-9
		b = append(b[:n-2], b[n-1])
	}
	return b
}

// appendVector appends a vector as OpenAI's clients read it: a list of numbers, or
// the base64 of 32-bit floats, least significant byte first.
func appendVector(b []byte, v []float32, inBase64 bool) []byte {
	if inBase64 {
		var raw [3 * 64]byte // a multiple of three, so that pieces can be joined
		b = append(b, '"')
		for part := 0; part < len(v); part += len(raw) / 4 {
			n := 0
			for _, x := range v[part:min(len(v), part+len(raw)/4)] {
				binary.LittleEndian.PutUint32(raw[n:], math.Float32bits(x))
				n += 4
			}
			b = base64.StdEncoding.AppendEncode(b, raw[:n])
		}
		return append(b, '"')
	}
	b = append(b, '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return append(b, ']')
}

// appendEmbeddings appends the answer of embeddings.
func (g *Gateway) appendEmbeddings(b []byte, q wish, e *Embeddings) ([]byte, error) {
	model, err := json.Marshal(q.model)
	if err != nil {
		return nil, err
	}
	b = append(b, `{"object":"list","data":[`...)
	for i, v := range e.Vectors {
		if i > 0 {
			b = append(b, ',')
		}
		if g.indexed(q.dimensions) {
			v = []float32{float32(g.codeOf(v))}
		}
		b = strconv.AppendInt(append(b, `{"object":"embedding","index":`...), int64(i), 10)
		b = append(appendVector(append(b, `,"embedding":`...), v, q.base64), '}')
	}
	b = append(append(b, `],"model":`...), model...)
	words := int64(countWords(q.texts).Total)
	b = strconv.AppendInt(append(b, `,"usage":{"prompt_tokens":`...), words, 10)
	b = strconv.AppendInt(append(b, `,"total_tokens":`...), words, 10)
	b = g.frame.append(append(b, `},"privacy":`...), &e.Privacy)
	return append(b, "}\n"...), nil
}
