package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/service/httpserve"
	"sotto/service/ledger"
	"sotto/text"
	"sotto/text/encode"
)

// Options of one request.
type Options struct {
	// IdempotencyKey names the request among those of its subject, so that a
	// retry is answered with the same release and costs nothing. The same key
	// with other texts is refused with ledger.ErrConflict. Memoised noise needs
	// none and looks at none.
	IdempotencyKey string
	// Numbers are those of each text, of a model that takes some beside texts, in
	// the order of [Gateway.Numbers]; NaN for one that is not known.
	Numbers [][]float32

	turn *httpserve.Place // that another may have while the ledger is waited for
}

// Embeddings are released vectors, one a text, and what is promised of them.
type Embeddings struct {
	Vectors [][]float32
	Privacy Privacy
	masks   []text.Masking // for the page alone
}

// Privacy says what is promised of a release and what it cost.
type Privacy struct {
	Mechanism   string     `json:"mechanism"`
	Parameters  Parameters `json:"parameters"`
	Unit        string     `json:"unit"`
	Epsilon     float64    `json:"epsilon"` // of each release
	Delta       float64    `json:"delta"`
	Assumptions []string   `json:"assumptions"` // what must hold besides the proof
	Noise       Noise      `json:"noise"`
	Scope       string     `json:"scope"`          // what ε speaks of, in a sentence
	Against     string     `json:"against"`        // whom it binds, and whom it does not
	Within      string     `json:"within"`         // under which configuration, and over what time
	Cost        float64    `json:"cost"`           // ε that this request paid
	Spent       float64    `json:"spent"`          // ε of the subject in this window
	Left        float64    `json:"left"`           // ε
	SpentDelta  float64    `json:"spent_delta"`    // δ
	LeftDelta   float64    `json:"left_delta"`     // δ
	Renews      *time.Time `json:"renews"`         // when the window ends; null if never
	Repeated    int        `json:"repeated"`       // texts that cost nothing: paid for before, or twice in this request
	Paid        int        `json:"paid"`           // releases that this request paid for
	Model       string     `json:"model,omitzero"` // ID of the model, if there is one that has one
	Tells       string     `json:"tells,omitzero"` // what the parameters tell of its training, which no guarantee covers
	// Dropout is the probability with which each word was masked at random, and
	// Word the guarantee between texts that differ in one word, which rests on it.
	Dropout float64       `json:"dropout,omitzero"`
	Word    *dp.Guarantee `json:"word_level,omitempty"`
}

// scopes say what ε speaks of, by the noise.
var scopes = map[Noise]string{
	Memoised: "ε bounds what one release tells of its text, for each distinct text of this subject; that two requests carried the same text is visible",
	Fresh:    "ε bounds what one release tells of its text; releases of the same text compose, k of them to k·ε",
}

// against say whom ε speaks of, by the noise.
var against = map[Noise]string{
	Memoised: "it holds against whoever sees releases; whoever may ask as this subject learns besides, exactly, whether a given text was asked for before, since a repeat costs nothing",
	Fresh:    "it holds against whoever sees releases; whoever may ask as this subject pays ε for each further release of a text, and sees from the balance how many texts were asked for",
}

// within says where one ε ends and another is added.
const within = "for this encoder, mechanism, ε and secret: releases of the same text under others add up; the budget bounds one window, two that meet allow twice as much at once, and only a lifetime limit bounds all"

// InputError is the error of a request that no retry makes better. It quotes
// nothing of a text.
type InputError struct {
	Param    string // the field that is wrong
	Reason   string
	TooLarge bool // it is beyond a limit
}

// Error implements error.
func (e *InputError) Error() string { return "gateway: " + e.Param + " " + e.Reason }

// ErrEncoder is wrapped by the error of a request whose texts the encoder did
// not turn into numbers. Nothing was paid.
var ErrEncoder = errors.New("gateway: the encoder did not answer with finite vectors")

// Embed releases the vectors of texts. All of them are paid for, or none, before
// any noise is drawn; what is paid for once is not given back, whatever happens
// later. With memoised noise equal texts are one release.
func (g *Gateway) Embed(ctx context.Context, subject string, texts []string, o Options) (*Embeddings, error) {
	if err := g.check(subject, texts, o); err != nil {
		return nil, err
	}
	once := o.IdempotencyKey
	if g.Noise == Memoised {
		once = ""
	} else if once == "" {
		once = "\x00" + rand.Text() // no header can hold a zero byte
	}
	masks := g.mask(subject, texts, once)
	// One worker: requests run beside each other, and a panic of an encoder
	// stays in the goroutine that can catch it.
	x, err := encode.Masked(ctx, g.Encoder, texts, masks, 1)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEncoder, err)
	}
	if x.Finite() != nil {
		return nil, ErrEncoder
	}
	x = g.withNumbers(x, o.Numbers)
	names, checks := g.names(subject, g.called(texts, masks), x, once)
	requests := make([]ledger.Request, 0, len(texts))
	first := make(map[ledger.Digest]int, len(texts))
	for i, name := range names {
		if _, ok := first[name]; ok {
			continue
		}
		first[name] = i
		requests = append(requests, ledger.Request{
			Subject: subject, Key: g.Secret.mac([]byte("pay"), name[:]), Check: checks[i],
			Guarantee: g.guarantee, Mechanism: g.record,
		})
	}
	receipts, err := g.pay(ctx, requests, o.turn)
	if err != nil {
		return nil, g.gross(err, len(texts))
	}
	if len(receipts) != len(requests) {
		return nil, fmt.Errorf("%w: %d receipts for %d releases", ledger.ErrUnavailable, len(receipts), len(requests))
	}
	vectors, err := g.release(x, names, checks, first)
	if err != nil {
		return nil, err
	}
	return &Embeddings{vectors, g.privacy(receipts, len(texts), receipts[0].Balance), masks}, nil
}

// pay pays for releases. Who waits for a disk needs no processor, so that others have the
// turn meanwhile, and pay in the same write.
func (g *Gateway) pay(ctx context.Context, requests []ledger.Request, turn *httpserve.Place) (receipts []ledger.Receipt, err error) {
	if late := turn.Lend(ctx, func() { receipts, err = g.Ledger.Spend(ctx, requests...) }); err == nil && late != nil {
		err = fmt.Errorf("gateway: it was paid for, and nobody waits for it any more: %w", late)
	}
	return receipts, err
}

// gross has an error over budget say what all texts would cost, as if none had
// been paid for: how many were not would tell which were asked for before.
func (g *Gateway) gross(err error, texts int) error {
	var over *ledger.OverBudget
	if !errors.As(err, &over) {
		return err
	}
	all := *over
	all.Asked = ledger.Cost{Epsilon: times(texts, g.cost.Epsilon), Delta: times(texts, g.cost.Delta)}
	return &all
}

// times is a product that stops where numbers end.
func times(n int, cost int64) int64 {
	if cost > math.MaxInt64/int64(n) {
		return math.MaxInt64
	}
	return int64(n) * cost
}

// check refuses what is refused before anything is done.
func (g *Gateway) check(subject string, texts []string, o Options) error {
	if err := checkSubject(subject); err != nil {
		return err
	}
	if len(o.IdempotencyKey) > 255 {
		return &InputError{Param: "Idempotency-Key", Reason: fmt.Sprintf("has %d bytes, must have at most 255", len(o.IdempotencyKey))}
	}
	if len(texts) == 0 {
		return &InputError{Param: "input", Reason: "holds no text, must hold at least one"}
	}
	if len(texts) > g.MaxTexts {
		return &InputError{Param: "input", Reason: fmt.Sprintf("has %d texts, must have at most %d", len(texts), g.MaxTexts), TooLarge: true}
	}
	for i, t := range texts {
		switch {
		case t == "":
			return &InputError{Param: "input", Reason: fmt.Sprintf("is empty in text %d, must not be", i)}
		case len(t) > g.MaxBytes:
			return &InputError{Param: "input", Reason: fmt.Sprintf("has %d bytes in text %d, must have at most %d", len(t), i, g.MaxBytes), TooLarge: true}
		case !utf8.ValidString(t):
			return &InputError{Param: "input", Reason: fmt.Sprintf("is not UTF-8 in text %d, must be", i)}
		}
	}
	return g.checkNumbers(len(texts), o.Numbers)
}

// checkSubject refuses subjects that the ledger does not take.
func checkSubject(subject string) error {
	if subject == "" || len(subject) > 256 || !utf8.ValidString(subject) {
		return &InputError{Param: "user", Reason: "is empty, not UTF-8 or longer than 256 bytes with its key's name, must not be"}
	}
	if strings.ContainsFunc(subject, unicode.IsControl) {
		return &InputError{Param: "user", Reason: "has a control character, must not"}
	}
	return nil
}

// version enters every name. A change of how any mechanism draws or scales its
// noise must change it: the same noise on another scale would show the vector.
const version = "sotto gateway 1"

// names returns what each text's release is called, which decides noise and
// payment, and what that name stands for. The vector has a part in both: an
// encoder that answers differently under the same name would otherwise get the
// same noise, and the difference of two releases would show what it hides.
func (g *Gateway) names(subject string, texts []string, x nn.Matrix, once string) (names, checks []ledger.Digest) {
	names, checks = make([]ledger.Digest, len(texts)), make([]ledger.Digest, len(texts))
	bits := make([]byte, 4*x.Cols)
	for i, t := range texts {
		for j, v := range x.Row(i) {
			binary.LittleEndian.PutUint32(bits[4*j:], math.Float32bits(v))
		}
		digest := sha256.Sum256([]byte(t))
		names[i] = g.Secret.mac([]byte(version), []byte(g.Noise), []byte(subject), digest[:], g.means, bits)
		checks[i] = g.Secret.mac([]byte("text"), names[i][:])
	}
	if g.Noise == Memoised {
		return names, checks
	}
	whole := make([][]byte, len(names))
	for i := range names {
		whole[i] = names[i][:]
	}
	// The whole request is what the idempotency key stands for, and each text's
	// place in it is what is paid for, so that equal texts are drawn apart.
	request := g.Secret.mac(whole...)
	for i := range names {
		checks[i] = g.Secret.mac([]byte("request"), request[:])
		names[i] = g.Secret.mac([]byte("fresh"), []byte(subject), []byte(once), []byte(strconv.Itoa(i)))
	}
	return names, checks
}
