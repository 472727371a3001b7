package audit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"sotto/promise/dp"
)

// Gateway is a whole service as the mechanism: texts in, private vectors out.
// The auditor speaks to it as any client does, and knows nothing of its inside.
type Gateway struct {
	Address string // of the service, such as http://127.0.0.1:8787
	Key     string // sent as a bearer token; "" for none
	Client  *http.Client
	// Texts are told apart two by two, the first from the second and so on; nil
	// means texts that have little in common.
	Texts []string

	run  string        // names the users of this audit, whom nobody else has
	next atomic.Uint64 // the number of the next one
}

// defaultTexts are pairs of texts that have little in common.
var defaultTexts = []string{
	"what a wonderful, moving and brilliant film", "the parcel arrived broken and nobody answers the phone",
	"yes", "the committee will publish its report on interest rates before the end of the quarter",
	"αβγδε ζηθ", "0 1 2 3 4 5 6 7 8 9",
}

// Promised is what a gateway says of its releases.
type Promised struct {
	Mechanism string  `json:"mechanism"`
	Unit      dp.Unit `json:"unit"`
	Epsilon   float64 `json:"epsilon"`
	Delta     float64 `json:"delta"`
	Noise     string  `json:"noise"` // memoised or fresh
	Paid      int     `json:"paid"`
	Repeated  int     `json:"repeated"`
}

// NewGateway returns the gateway at an address, after it has checked both.
func NewGateway(address, key string, client *http.Client) (*Gateway, error) {
	address, err := parseAddress("gateway", address)
	if err != nil {
		return nil, err
	}
	var name [6]byte
	rand.Read(name[:]) // it never returns an error
	if client == nil {
		client = &http.Client{Timeout: answerTime}
	}
	return &Gateway{Address: strings.TrimRight(address, "/"), Key: key, Client: client, run: "audit-" + hex.EncodeToString(name[:])}, nil
}

// user names somebody who has never asked.
func (g *Gateway) user() string { return g.run + "-" + strconv.FormatUint(g.next.Add(1), 10) }

// ask requests the release of one text for a user. The error is errText if the
// gateway refuses the text.
func (g *Gateway) ask(ctx context.Context, user, text string) (y []float64, said Promised, err error) {
	status, content, err := post(ctx, g.Client, "gateway", g.Address+"/v1/embeddings", g.Key, map[string]string{"input": text, "user": user})
	if err != nil {
		return nil, said, err
	}
	switch status {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return nil, said, errText
	case http.StatusForbidden, http.StatusUnauthorized:
		return nil, said, fmt.Errorf("audit: the gateway answered with status %d, must let the auditor name users of its own: give a key that may, and a budget that allows one text", status)
	case http.StatusTooManyRequests:
		return nil, said, errors.New("audit: the gateway limits the rate of requests, must not for the auditor (--rate 0)")
	default:
		return nil, said, fmt.Errorf("audit: the gateway answered with status %d, must be 200", status)
	}
	var answer struct {
		Data []struct {
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
		Privacy *Promised `json:"privacy"`
	}
	if json.Unmarshal(content, &answer) != nil || len(answer.Data) != 1 || answer.Privacy == nil {
		return nil, said, errors.New("audit: the answer is not that of a sotto gateway")
	}
	return answer.Data[0].Embedding, *answer.Privacy, nil
}

// Promise asks for one release, as a user of its own, and returns what is
// promised of it.
func (g *Gateway) Promise(ctx context.Context) (Promised, error) {
	_, said, err := g.ask(ctx, g.user(), defaultTexts[0])
	if err == nil && said.Unit != dp.Text {
		err = fmt.Errorf("audit: the gateway promises a %s-level ε, must be text-level: texts of the auditor differ in all words", said.Unit)
	}
	return said, err
}

// Observer returns the service as whoever sees its releases, and cannot ask as
// somebody else: each release is made for a user of its own, so that memoised
// noise is drawn anew. This is whom ε speaks of.
func (g *Gateway) Observer() (Target, error) {
	texts := g.Texts
	if texts == nil {
		texts = defaultTexts
	}
	if len(texts) < 2 || len(texts)%2 != 0 {
		return Target{}, fmt.Errorf("audit: there are %d texts to tell apart, must be pairs", len(texts))
	}
	t := Target{Foreign: true, Open: func(context.Context) (Sampler, error) { return &gatewaySampler{g, texts}, nil }}
	for i := 0; i < len(texts); i += 2 {
		if texts[i] == texts[i+1] {
			return Target{}, fmt.Errorf("audit: texts %d and %d are equal, must differ", i+1, i+2)
		}
		// An input is the number of its text.
		t.Pairs = append(t.Pairs, Pair{
			Name: fmt.Sprintf("texts %d and %d", i+1, i+2), X: []float64{float64(i)}, X2: []float64{float64(i + 1)}, Distance: 1,
		})
	}
	return t, nil
}

type gatewaySampler struct {
	*Gateway
	texts []string
}

// Sample implements [Sampler].
func (s *gatewaySampler) Sample(ctx context.Context, x []float64) (Release, error) {
	y, said, err := s.ask(ctx, s.user(), s.texts[int(x[0])])
	if errors.Is(err, errText) {
		return Release{Refused: true}, nil
	}
	if err == nil && said.Repeated > 0 {
		err = errors.New("audit: the gateway answered a new user as one who has asked before, must let the auditor name users")
	}
	return Release{Y: y}, err
}

// Close implements [Sampler].
func (s *gatewaySampler) Close() error { return nil }

// Querier is what somebody learns who may ask as another user: whether that user
// has asked for a given text before. No ε speaks of it.
type Querier struct {
	Trials int `json:"trials"`
	Right  int `json:"right"` // guesses
	// LowerBound is how often such guesses are right at least, with the given
	// confidence; a coin is right half of the time.
	LowerBound float64 `json:"lower_bound"`
	Confidence float64 `json:"confidence"`
	Means      string  `json:"means"` // in a sentence
}

// The sentences of a querier.
const (
	tellsAll  = "whoever may ask as a user learns which texts that user has asked for: a repeat is free; this is outside ε"
	tellsNone = "repeats are charged like new texts, so that asking as the same user does not tell what was asked for; each release of a text costs ε again"
)

// Query plays the other adversary: in each trial somebody asks, as a new user,
// for one of two texts, and the auditor, who may ask as the same user, guesses
// which by asking for the first.
func (g *Gateway) Query(ctx context.Context, trials int, confidence float64, progress func(done, total int64)) (Querier, error) {
	if trials < 10 {
		return Querier{}, fmt.Errorf("audit: trials is %d, must be at least 10", trials)
	}
	if !(confidence > 0 && confidence < 1) {
		return Querier{}, fmt.Errorf("audit: confidence is %v, must be above 0 and below 1", confidence)
	}
	q := Querier{Trials: trials, Confidence: confidence, Means: tellsNone}
	coins := make([]byte, 2*trials)
	rand.Read(coins) // it never returns an error
	for i := range trials {
		user, asked := g.user(), int(coins[i]&1)
		texts := [2]string{fmt.Sprintf("is this text number %d known", i), fmt.Sprintf("another text of trial %d was sent", i)}
		if _, _, err := g.ask(ctx, user, texts[asked]); err != nil {
			return q, err
		}
		_, said, err := g.ask(ctx, user, texts[0])
		if err != nil {
			return q, err
		}
		guess := int(coins[trials+i] & 1) // without a sign, a coin
		if said.Repeated > 0 {
			guess = 0
		} else if said.Noise == "memoised" {
			guess = 1
		}
		if guess == asked {
			q.Right++
		}
		if progress != nil {
			progress(int64(i+1), int64(trials))
		}
	}
	q.LowerBound = lower(int64(q.Right), int64(trials), 1-confidence)
	if q.LowerBound > 0.5 {
		q.Means = tellsAll
	}
	return q, nil
}

var errText = errors.New("audit: the gateway refuses an ordinary text")
