package gateway

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"

	"sotto/service/gateway/keys"
	"sotto/service/httpserve"
	"sotto/text/encode"
)

// Page is a page at / on which the owner of the texts tries the gateway: it
// shows what is masked, a vector before and after the noise, what the server
// answers, what a simple attacker reads, and what it cost. The raw vector is
// shown nowhere else, and the page of another site cannot ask for it; who can
// open the page is on the trusted side. Each try is paid for as any request is.
type Page struct {
	Vocabulary []string // that the attacker knows; parts of words are left out
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string

	pageForm = template.Must(template.New("page").Parse(pageHTML))
)

// pageFields are what a try may say.
var pageFields = []string{"input", "user"}

// guessed is how many words the attacker names.
const guessed = 10

// page is what a Page needs while the service runs.
type page struct {
	html    []byte
	policy  string
	guesser *guesser // nil for none
	why     string   // there is none
}

func (s *Service) newPage(now *shift) (*page, error) {
	g := now.gateway
	p := &page{policy: strings.Join([]string{
		"default-src 'none'", "script-src " + sourceHash(pageScript), "style-src " + sourceHash(pageStyle), "connect-src 'self'", "img-src data:",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
	}, "; ")}
	var b bytes.Buffer
	err := pageForm.Execute(&b, struct {
		Style        template.CSS
		Script       template.JS
		Keys, Server bool
		Guesses      int
		Bytes        int
		Encoder      string
		Promise      Privacy
	}{template.CSS(pageStyle), template.JS(pageScript), now.keys != nil, now.asks != nil, guessed, g.MaxBytes, g.Encoder.Name(), g.Promise()})
	if err != nil {
		return nil, err
	}
	p.html = b.Bytes()
	in, out := g.Mechanism.Shape()
	switch {
	case in != out || identity(g.Mechanism) != "" || g.coded():
		p.why = "the release does not lie in the encoder's space, where words have places"
	default:
		p.why = "this encoder cannot be asked for the vectors of a vocabulary"
		p.guesser = newGuesser(g.Encoder, s.Page.Vocabulary)
	}
	return p, nil
}

// sourceHash allows one inline script or style in a policy.
func sourceHash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// showPage handles "GET /{$}".
func (s *Service) showPage(w http.ResponseWriter, r *http.Request, who *client) error {
	if err := who.atHome(r); err != nil {
		return err
	}
	httpserve.Shield(w.Header(), who.page.policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(who.page.html) //nolint:errcheck // that the client has gone can be told to nobody
	return nil
}

// atHome refuses, where no keys are asked for, a request under a name that is
// not this machine's own: a foreign site can point a name of its own here, and
// its page would then be of the same origin.
func (c *client) atHome(r *http.Request) error {
	if c.keys != nil || httpserve.Loopback(r.Host) {
		return nil
	}
	return &problem{status: http.StatusForbidden, Type: invalidRequest, Code: "cross_origin", Message: "without keys the page is for this machine alone: open it as localhost"}
}

// trial is what the page shows of one text.
type trial struct {
	Object  string    `json:"object"`
	Index   int       `json:"index"`
	Pieces  []piece   `json:"pieces"`
	Applied bool      `json:"applied"` // the masks; else they are a proposal
	Before  []float32 `json:"before"`  // null if the encoder did not answer again
	After   []float32 `json:"after"`
	Code    *code     `json:"code,omitempty"` // that was released, if it is one
	Cosine  *float64  `json:"cosine"`         // between both; null if they lie in different spaces
	Read    *reading  `json:"read"`
	Unread  string    `json:"unread,omitempty"` // why nothing was tried to be read
	Server  *verdict  `json:"server"`           // null without a server
}

// reading is what the attacker names.
type reading struct {
	Before []guessWord `json:"before"`
	After  []guessWord `json:"after"`
	Words  int         `json:"words"` // that it chooses from
}

// verdict is what the server says, or why it says nothing.
type verdict struct {
	Answer
	Error string `json:"error,omitempty"`
}

// try handles "POST /page/try".
func (s *Service) try(w http.ResponseWriter, r *http.Request, who *client) error {
	if !httpserve.SameOrigin(r) {
		return errForeign
	}
	if err := who.atHome(r); err != nil {
		return err
	}
	q, e, err := s.release(w, r, who, pageFields)
	if err != nil {
		return err
	}
	// Encoded once more, so that what is released has no raw vector beside it on
	// any other way. By now it is paid, and an error takes the picture away only.
	raw, err := encode.Masked(r.Context(), who.gateway.Encoder, q.texts, e.masks, 1)
	encoded := err == nil
	verdicts := s.verdicts(r, who, e.Vectors)
	data := make([]trial, len(q.texts))
	for i, t := range q.texts {
		x := trial{Object: "trial", Index: i, After: e.Vectors[i], Code: who.gateway.code(e.Vectors[i]), Server: verdicts[i], Unread: who.page.why}
		x.Pieces, x.Applied = who.gateway.pieces(t, e.masks[i])
		if encoded {
			x.Before = raw.Row(i)
		}
		if g := who.page.guesser; encoded && g != nil {
			x.Unread, x.Read = "", &reading{g.Nearest(x.Before, guessed, t), g.Nearest(x.After, guessed, t), g.Words()}
			if c, ok := guessCosine(x.Before, x.After); ok {
				x.Cosine = &c
			}
		}
		data[i] = x
	}
	who.leave()
	return httpserve.WriteJSON(w, http.StatusOK, list[trial]{Object: "list", Data: data, Model: s.Name, Privacy: &e.Privacy})
}

// verdicts asks the server, if there is one. The release is shown without its
// answer, too.
func (s *Service) verdicts(r *http.Request, who *client, vectors [][]float32) []*verdict {
	all := make([]*verdict, len(vectors))
	if who.asks == nil {
		return all
	}
	if !who.may(keys.Classify) {
		for i := range all {
			all[i] = &verdict{Error: "this key may not ask the server: it needs the scope classify"}
		}
		return all
	}
	answers, err := s.ask(r.Context(), who, vectors)
	for i := range all {
		if err != nil {
			all[i] = &verdict{Error: problemOf(err).Message}
		} else {
			all[i] = &verdict{Answer: answers[i]}
		}
	}
	return all
}
