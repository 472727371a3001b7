package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/ledger"
	"sotto/text"
	"sotto/text/encode"
)

// Noise says where the noise of a release comes from.
type Noise string

const (
	// Memoised noise follows from secret, subject, text, vector, mechanism and
	// encoder: asking again gives the same bytes and costs nothing, so that no
	// average takes the noise away. Its price is that an observer sees that two
	// requests of a subject carried the same text. Where a machine rounds the vector,
	// or the layers of a model, to other bits, it is another release: it has noise of
	// its own and is paid for.
	Memoised Noise = "memoised"
	// Fresh noise is drawn anew for every text of every request, and paid for
	// each time; only a retry with the same idempotency key is not.
	Fresh Noise = "fresh"
)

// Mechanism releases vectors. Every mech.Mechanism is one, and [FromModel]
// makes one of a trained model.
type Mechanism interface {
	dp.Vector

	// Params says what the mechanism was made from, all of it.
	Params() mech.Params
}

// Ledger pays for releases; *ledger.Ledger is one. A Spend of nothing reports
// whether the ledger can be written.
type Ledger interface {
	Spend(ctx context.Context, requests ...ledger.Request) ([]ledger.Receipt, error)
	Balance(ctx context.Context, subject string) (ledger.Balance, error)
	Grant(ctx context.Context, g ledger.Grant) error
}

// Config says what a Gateway is made of.
type Config struct {
	Encoder   encode.Source
	Mechanism Mechanism
	Ledger    Ledger
	Secret    Secret
	Maskers   []text.Masker // that mask parts of texts before anything else
	Noise     Noise         // "" means Memoised
	Words     []string      // what each cell of the mechanism is about, in public words; may be nil
	MaxTexts  int           // in a request; 0 means 256
	MaxBytes  int           // of a text; 0 means 32,768
}

// fill returns c with its defaults.
func (c Config) fill() Config {
	c.Noise = cmp.Or(c.Noise, Memoised)
	c.MaxTexts = cmp.Or(c.MaxTexts, 256)
	c.MaxBytes = cmp.Or(c.MaxBytes, 1<<15)
	return c
}

// Validate reports the first thing that is missing or does not fit.
func (c Config) Validate() error {
	c = c.fill()
	switch {
	case c.Encoder == nil || c.Mechanism == nil || c.Ledger == nil:
		return errors.New("gateway: encoder, mechanism or ledger is nil, must be given")
	case c.Secret == Secret{}:
		return errors.New("gateway: the secret is empty, must be given")
	case c.Noise != Memoised && c.Noise != Fresh:
		return fmt.Errorf("gateway: noise is %.20q, must be %s or %s", c.Noise, Memoised, Fresh)
	case c.MaxTexts < 1 || c.MaxBytes < 1:
		return fmt.Errorf("gateway: at most %d texts of %d bytes are allowed, must be at least 1", c.MaxTexts, c.MaxBytes)
	}
	m, ok := c.Mechanism.(*served)
	made := c.Encoder.Dim()
	if ok {
		made += len(m.numbers)
	}
	if in, _ := c.Mechanism.Shape(); in != made {
		return fmt.Errorf("gateway: the mechanism takes %d numbers and the encoder makes %d, must be as many", in, c.Encoder.Dim())
	}
	if ok {
		if err := m.maskedAlike(c.Maskers); err != nil {
			return err
		}
	}
	g := c.Mechanism.Guarantee()
	if err := g.Validate(); err != nil {
		return err
	}
	if !(g.Epsilon > 0 && g.Epsilon < dp.Infinite) {
		return fmt.Errorf("gateway: ε of a release is %v, must be positive and finite: no budget pays for anything else", g.Epsilon)
	}
	return nil
}

// Gateway turns texts into private vectors. It is safe for concurrent use.
type Gateway struct {
	Config
	guarantee  dp.Guarantee
	word       *dp.Guarantee // between texts that differ in one word, with dropout
	masks      model.Masks   // with which the model was trained
	parameters Parameters
	cost       ledger.Cost // of one text
	means      []byte      // digest of mechanism and encoder
	frame      frame
	record     any // of the mechanism, in the ledger
}

// New makes a gateway. The ledger must be one that can be written, and was opened
// with the id of the secret: that it was kept with another one is noticed there.
func New(ctx context.Context, c Config) (*Gateway, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	g := &Gateway{Config: c.fill(), guarantee: c.Mechanism.Guarantee()}
	var err error
	if g.cost, err = ledger.CostOf(g.guarantee); err != nil {
		return nil, err
	}
	params := c.Mechanism.Params()
	// Where another build rounds otherwise, releases are others, and paid for anew.
	// A second mechanism is asked, so that this one draws nothing that is not paid.
	like, err := mech.New(params)
	if err != nil {
		return nil, err
	}
	fingerprint, err := mech.Fingerprint(like)
	if err != nil {
		return nil, err
	}
	// The vocabulary decides the scale of noise and is not part of Params' JSON.
	all := []any{fingerprint[:], params, params.Value("vocabulary"), identity(c.Mechanism), c.Encoder.Name(), c.Encoder.Dim()}
	if m, ok := c.Mechanism.(*served); ok && m.masks.Dropout > 0 {
		g.masks, all = m.masks, append(all, m.masks)
		if word, failed := mech.WordLevel(g.guarantee, m.masks.Dropout); failed == nil {
			g.word = &word
		}
	}
	numerics := rounds(c.Mechanism)
	if !numerics.Exact() {
		all = append(all, numerics)
	}
	means, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("gateway: the mechanism cannot be written: %w", err)
	}
	sum := sha256.Sum256(means)
	g.means = sum[:]
	if g.parameters, err = parametersOf(params); err != nil {
		return nil, err
	}
	record, err := g.parameters.MarshalBeside(g.parameters.WeightList, struct {
		Encoder string  `json:"encoder"`
		Model   string  `json:"model,omitempty"` // SHA-256 of its weights
		Noise   Noise   `json:"noise"`
		Dropout float64 `json:"dropout,omitempty"` // of words
		// Numerics are those of the model's layers, where processors round them differently.
		Numerics encode.Numerics `json:"numerics,omitzero"`
	}{c.Encoder.Name(), identity(c.Mechanism), g.Noise, g.masks.Dropout, numerics})
	if err != nil {
		return nil, fmt.Errorf("gateway: the mechanism cannot be written: %w", err)
	}
	g.record = json.RawMessage(record)
	if g.frame, err = newFrame(g.Promise()); err != nil {
		return nil, err
	}
	return g, g.Ready(ctx)
}

// Ready reports whether a release could be paid for now: it pays for nothing,
// which is written all the same.
func (g *Gateway) Ready(ctx context.Context) error {
	_, err := g.Ledger.Spend(ctx)
	return err
}

// Identity names what decides a release besides text, subject and secret: mechanism,
// model, masks and the encoder's name. Under another one texts are paid for anew. It is
// keyed with the secret, since it stands in logs and a digest would name the training.
func (g *Gateway) Identity() string {
	name := g.Secret.mac([]byte(version), []byte("identity"), g.means)
	return hex.EncodeToString(name[:8])
}

// Width returns how many numbers a release has.
func (g *Gateway) Width() int {
	_, out := g.Mechanism.Shape()
	return out
}

// Balance says where a subject stands.
func (g *Gateway) Balance(ctx context.Context, subject string) (ledger.Balance, error) {
	if err := checkSubject(subject); err != nil {
		return ledger.Balance{}, err
	}
	return g.Ledger.Balance(ctx, subject)
}
