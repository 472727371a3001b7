package gateway

import (
	"cmp"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"sotto/service/httpserve"
	"sotto/service/strictjson"
)

// wish is a request for embeddings or classes, as the body of a POST holds it.
type wish struct {
	texts      []string
	model      string
	base64     bool
	dimensions int // 0 for any
	user       string
	numbers    [][]float32 // of each text; nil if none are given
	glanced    bool        // it is only looked at: texts are counted, and not kept
}

// fieldsOf lists what each kind of request may say. Those of embeddings are all
// that OpenAI's have, and the numbers that a model takes beside texts.
var (
	embeddingFields = []string{"input", "model", "encoding_format", "dimensions", "user", "numbers"}
	classifyFields  = []string{"input", "model", "user", "numbers"}
)

// readWish reads the body of a request. A large one that is wrong is refused as
// soon as that can be seen.
func (s *Service) readWish(w http.ResponseWriter, r *http.Request, who *client, fields []string) (q wish, err error) {
	most, numbers := who.gateway.MaxTexts, who.gateway.Numbers()
	body, err := s.readBody(w, r, who, s.MaxBody, func(beginning []byte) error {
		return s.inTurn(r, beginning, func() error {
			glance := wish{glanced: true}
			if wrong := glance.read(beginning, fields, most, numbers); !errors.Is(wrong, strictjson.ErrEnd) {
				return refusalOf(wrong)
			}
			return nil
		})
	})
	if err == nil {
		err = s.inTurn(r, body, func() (err error) {
			q, err = parseWish(body, fields, most, numbers)
			return err
		})
	}
	return q, err
}

// readBody reads a body that must be JSON.
func (s *Service) readBody(w http.ResponseWriter, r *http.Request, who *client, limit int64, look func([]byte) error) ([]byte, error) {
	// A form of a foreign page can be sent without asking; JSON can not.
	const form = "application/json"
	if said := r.Header.Get("Content-Type"); said != form {
		if kind, _, err := mime.ParseMediaType(said); err != nil || kind != form {
			p := invalid("Content-Type", "Content-Type must be "+form)
			p.status, p.Code = http.StatusUnsupportedMediaType, "unsupported_media_type"
			return nil, p
		}
	}
	body, err := who.load.ReadBody(w, r, limit, look)
	var known *problem
	switch {
	case errors.As(err, &known):
		return nil, known
	case errors.Is(err, httpserve.ErrTooLarge):
		return nil, tooLarge("", "the body has more than "+strconv.FormatInt(limit, 10)+" bytes, must have fewer")
	case errors.Is(err, httpserve.ErrFull):
		return nil, s.full("memory")
	case err != nil:
		return nil, invalid("", "the body ended early or came too slowly")
	}
	return body, nil
}

// depth is how deep a request may be nested: a list of texts in an object. Token
// ids may be one deeper, so that they are refused for what they are.
const depth = 3

// parseWish parses a body strictly and in one pass: one object, each field once,
// in its own spelling, and no other, and no more than so many texts.
func parseWish(body []byte, fields []string, most int, numbers []string) (wish, error) {
	var q wish
	err := q.read(body, fields, most, numbers)
	switch {
	case err != nil:
		return wish{}, refusalOf(err)
	case q.texts == nil:
		return wish{}, invalid("input", "input is missing, must be a text or a list of texts")
	}
	return q, nil
}

// read reads all fields.
func (q *wish) read(body []byte, fields []string, most int, numbers []string) error {
	return readFields(body, fields, func(r *strictjson.Reader, name string) (err error) {
		if name == "numbers" {
			q.numbers, err = readNumbers(r, numbers, most)
			return err
		}
		return q.set(r, name, most)
	})
}

// refusalOf says to a client why its body is refused.
func refusalOf(err error) error {
	var known *problem
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(err, strictjson.ErrUTF8):
		return invalid("", "the body is not UTF-8, must be JSON in UTF-8")
	}
	return invalid("", "the body is malformed or nested too deep, must be one JSON object")
}

// readFields reads one object, each field once, in its own spelling, and no other.
// Errors are problems, or of strictjson.
func readFields(body []byte, fields []string, set func(r *strictjson.Reader, name string) error) error {
	r := strictjson.Reader{Data: body, Depth: depth}
	seen := 0
	if err := r.Object(func(name []byte) error {
		i := slices.IndexFunc(fields, func(f string) bool { return f == string(name) })
		if i < 0 {
			// The name is the client's and may be anything, so it is not repeated.
			return invalid("", "the body has a field that is not known, may have %v", fields)
		}
		if seen&(1<<i) != 0 {
			return invalid(fields[i], "%s is given twice, must be given once", fields[i])
		}
		seen |= 1 << i
		if r.Null() { // the same as absent
			return nil
		}
		return set(&r, fields[i])
	}); err != nil {
		return err
	}
	return r.End()
}

// set reads the value of a field.
func (q *wish) set(r *strictjson.Reader, name string, most int) (err error) {
	switch name {
	case "input":
		q.texts, err = texts(r, most, !q.glanced)
		return err
	case "model":
		q.model, err = r.String()
	case "user":
		q.user, err = r.String()
	case "encoding_format":
		var format string
		if format, err = r.String(); err == nil && format != "" && format != "float" && format != "base64" {
			return invalid(name, "encoding_format must be float or base64")
		}
		q.base64 = format == "base64"
	case "dimensions":
		if q.dimensions, err = r.Int(); errors.Is(err, strictjson.ErrKind) || err == nil && q.dimensions < 1 {
			return invalid(name, "dimensions must be a positive whole number")
		}
	}
	if errors.Is(err, strictjson.ErrKind) {
		return invalid(name, "%s must be a string", name)
	}
	return err
}

// texts reads one text or a list of them. The first that is too many ends it.
func texts(r *strictjson.Reader, most int, keep bool) ([]string, error) {
	switch r.Kind() {
	case strictjson.KindString:
		one, err := r.String()
		return []string{one}, err
	case strictjson.KindArray:
	default:
		_, err := r.Raw()
		return nil, cmp.Or(err, error(invalid("input", "input must be a text or a list of texts")))
	}
	many := []string{}
	err := r.Array(func(i int) error {
		if i == most {
			return tooLarge("input", "input has more than "+strconv.Itoa(most)+" texts, must have at most as many")
		}
		if kind := r.Kind(); kind != strictjson.KindString && kind != strictjson.KindNone {
			return invalid("input", "%s", tokensAdvice)
		}
		if !keep {
			_, err := r.Raw()
			return err
		}
		t, err := r.String()
		many = append(many, t)
		return err
	})
	return many, err
}

// tokensAdvice is for clients that cut texts into tokens of OpenAI's models before
// they send them, as some libraries do unasked.
const tokensAdvice = "input must hold texts; lists of token ids are not taken, since the encoder here has tokens of its own: " +
	"have the client send strings, in LangChain by OpenAIEmbeddings(check_embedding_ctx_length=False)"
