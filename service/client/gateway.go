package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"time"

	"sotto/promise/dp"
)

// Client asks a gateway. New makes one. It is safe for concurrent use.
type Client struct{ caller *caller }

// New returns a client of the gateway at an address such as
// http://127.0.0.1:8787. It asks nothing yet.
func New(base string, o Options) (*Client, error) {
	c, err := newCaller(base, o)
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// Request is one for the release of texts.
type Request struct {
	Texts []string
	User  string // whose texts they are, among those of the API key; "" for the key's own
	// Numbers are those of each text, by name, for a gateway whose model takes some
	// beside texts; one that is absent is not known.
	Numbers []map[string]float64
	// Index asks Embed, of a gateway that releases codes, for the index of each
	// in place of its vector: the only number that there is then.
	Index bool
	// IdempotencyKey names the request: sent again, it is answered with the same
	// release and costs nothing. "" means a random one for this call and its
	// retries; keep one of your own to retry later.
	IdempotencyKey string
}

// Privacy is what the gateway promises of a release, and what it cost.
type Privacy struct {
	Mechanism   string          `json:"mechanism"`
	Parameters  json.RawMessage `json:"parameters"` // of the mechanism
	Unit        dp.Unit         `json:"unit"`
	Epsilon     dp.Epsilon      `json:"epsilon"` // of each release
	Delta       float64         `json:"delta"`
	Assumptions []string        `json:"assumptions"` // what must hold besides the proof
	Noise       string          `json:"noise"`       // memoised or fresh
	Scope       string          `json:"scope"`       // what ε speaks of, in a sentence
	Against     string          `json:"against"`     // whom it binds, and whom it does not
	Within      string          `json:"within"`      // under which configuration, and over what time
	Cost        float64         `json:"cost"`        // ε that this request paid
	Spent       float64         `json:"spent"`       // ε of the user in this window
	Left        float64         `json:"left"`        // ε
	Renews      time.Time       `json:"renews"`      // when the window ends; zero if never
	Repeated    int             `json:"repeated"`    // texts that were paid for before
}

// Guarantee returns what is promised of each release, as a [Server] asks for it.
func (p Privacy) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: p.Unit, Epsilon: p.Epsilon, Delta: p.Delta, Assumptions: p.Assumptions}
}

// Embeddings are private vectors, one a text.
type Embeddings struct {
	Vectors [][]float32
	Privacy Privacy
}

// Embed returns a private vector of each text. The error is an [*OverBudget],
// a [*RateLimited], an [*Unavailable] or a [*Refused], unless the request
// itself cannot be written.
func (c *Client) Embed(ctx context.Context, r Request) (*Embeddings, error) {
	var got struct {
		Data []struct {
			Index  int    `json:"index"`
			Vector string `json:"embedding"`
		} `json:"data"`
		Privacy Privacy `json:"privacy"`
	}
	// base64 gives the same bits as numbers do, in fewer bytes.
	f := form{Format: "base64"}
	if r.Index {
		f.Dimensions = 1
	}
	if err := c.post(ctx, "/v1/embeddings", r, f, &got); err != nil {
		return nil, err
	}
	e := &Embeddings{Vectors: make([][]float32, len(got.Data)), Privacy: got.Privacy}
	for i, d := range got.Data {
		raw, err := base64.StdEncoding.DecodeString(d.Vector)
		if err != nil || len(raw) == 0 || len(raw)%4 != 0 || d.Index != i {
			return nil, malformed("a vector is not what was asked for")
		}
		e.Vectors[i] = make([]float32, len(raw)/4)
		for j := range e.Vectors[i] {
			e.Vectors[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*j:]))
		}
	}
	if len(e.Vectors) != len(r.Texts) {
		return nil, malformed("it has not one vector for each text")
	}
	return e, nil
}

// Answer is what a server says of one vector.
type Answer struct {
	Class  string             `json:"class"`
	Scores map[string]float64 `json:"scores,omitempty"` // the probability of each class
	// Labels are the answers to each label by name, where there are several;
	// Class and Scores are of the first then.
	Labels map[string]Answer `json:"labels,omitempty"`
}

// Classification is what a gateway learnt from its server, one answer a text.
type Classification struct {
	Answers []Answer
	Privacy Privacy
}

// Classify has the gateway release the texts and ask its server. Errors are
// those of Embed.
func (c *Client) Classify(ctx context.Context, r Request) (*Classification, error) {
	var got struct {
		Data    []Answer `json:"data"`
		Privacy Privacy  `json:"privacy"`
	}
	if err := c.post(ctx, "/v1/classify", r, form{}, &got); err != nil {
		return nil, err
	}
	if len(got.Data) != len(r.Texts) {
		return nil, malformed("it has not one answer for each text")
	}
	return &Classification{got.Data, got.Privacy}, nil
}

// form says how vectors are to be written.
type form struct {
	Format     string `json:"encoding_format,omitempty"`
	Dimensions int    `json:"dimensions,omitempty"`
}

// post sends texts and decodes the answer.
func (c *Client) post(ctx context.Context, path string, r Request, f form, to any) error {
	body, err := json.Marshal(struct {
		Texts   []string             `json:"input"`
		User    string               `json:"user,omitempty"`
		Numbers []map[string]float64 `json:"numbers,omitempty"`
		form
	}{r.Texts, r.User, r.Numbers, f})
	if err != nil {
		return errors.New("client: request cannot be written as JSON")
	}
	key := cmp.Or(r.IdempotencyKey, rand.Text())
	return c.caller.ask(ctx, message{method: "POST", path: path, body: body, headers: map[string]string{"Content-Type": "application/json", "Idempotency-Key": key}}, to)
}

// Budget is where a user stands in the current window, in ε.
type Budget struct {
	Unit    dp.Unit   `json:"unit"`
	Epsilon float64   `json:"epsilon"` // of each window
	Delta   float64   `json:"delta"`
	Granted float64   `json:"granted"` // beyond it, in this window
	Spent   float64   `json:"spent"`
	Left    float64   `json:"left"`
	Renews  time.Time `json:"renews"`  // when the window ends; zero if never
	Release Privacy   `json:"release"` // what is promised of each release
}

// Budget asks where a user stands; "" is the API key's own.
func (c *Client) Budget(ctx context.Context, user string) (*Budget, error) {
	path := "/v1/budget"
	if user != "" {
		path += "?" + url.Values{"user": {user}}.Encode()
	}
	var b Budget
	if err := c.caller.ask(ctx, message{method: "GET", path: path}, &b); err != nil {
		return nil, err
	}
	return &b, nil
}
