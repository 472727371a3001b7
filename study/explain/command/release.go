package explain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/noise"
	"sotto/service/ledger"
	"sotto/study/explain"
)

// releaseFlags say what of explanations is let out.
type releaseFlags struct {
	release bool
	epsilon float64
	words   string
	top     int
	trained bool // texts that the model was trained on are told of, too
	payment term.Payment
}

func (o *releaseFlags) addFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.release, "release", false, "tell the strongest words of a public list by chance, paid for from a ledger, in place of an explanation")
	fs.Float64Var(&o.epsilon, "epsilon", 0, "ε of all that --release tells of one text")
	fs.StringVar(&o.words, "words", "", "file of the public list for --release, one word a line")
	fs.IntVar(&o.top, "top", 1, "number of words that --release tells of a text, which share ε evenly")
	fs.BoolVar(&o.trained, "include-trained", false, "tell of texts that the --model was trained on, too, which the ε of --release does not cover; what is told then says how many")
	o.payment.AddFlags(fs, "--release", "user whose texts they are, and whose budget pays")
}

// refuseRelease refuses what has no meaning with --release or without.
func (o *explainOptions) refuseRelease(fs *pflag.FlagSet) error {
	if !o.release {
		return term.Refuse(fs, "without --release", "epsilon", "words", "top", "ledger", "secret", "head", "user", "include-trained")
	}
	if err := term.Refuse(fs, "with --release", "html", "out", "summary", "i-know-this-is-not-private"); err != nil {
		return err
	}
	for _, f := range [][2]string{
		{o.words, "--words, a public list of words that was chosen without looking at the texts"},
		{o.payment.Ledger, "--ledger, the budgets that pay"},
		{o.payment.User, "--user, whose budget pays"},
		{o.class, "--class, the class to explain: the one that is answered follows from the text, and would be released unpaid"},
	} {
		if f[0] == "" {
			return fmt.Errorf("--release wants %s", f[1])
		}
	}
	if !(o.epsilon > 0) {
		return errors.New("--release wants --epsilon, the ε of what is told of each text")
	}
	return nil
}

// told is what "sotto explain --release --json" prints of a text.
type told struct {
	Told      []explain.Told `json:"told"`
	Class     string         `json:"class"`
	Guarantee dp.Guarantee   `json:"guarantee"`
	Private   bool           `json:"private"`
}

// runRelease explains texts, pays, and then tells of each the strongest words by
// chance. Nothing is told that is not paid for, and no text is left out: that one
// could not be explained would tell of it.
func runRelease(ctx context.Context, o explainOptions, std term.Streams) error {
	texts, err := o.texts(std.In)
	if err != nil {
		return err
	}
	list, err := readWords(o.words)
	if err != nil {
		return err
	}
	m, err := explain.NewReleased(list, explain.ReleaseOptions{Epsilon: o.epsilon, Top: o.top})
	if err != nil {
		return err
	}
	g, err := m.Guarantee()
	if err != nil {
		return err
	}
	p, err := o.open(ctx, o.seed)
	if err != nil {
		return err
	}
	defer p.close() //nolint:errcheck // it is closed below, where it matters
	uncovered, err := o.uncovered(p, texts)
	if err != nil {
		return err
	}
	explained, err := o.forRelease(ctx, p, texts, std.Err)
	if err != nil {
		return err
	}
	if err = p.close(); err != nil {
		return err
	}
	paid := ledger.Request{Guarantee: g, Mechanism: map[string]any{"release": "explanation", "top": o.top, "mechanism": m.Params()}}
	if err = o.payment.Pay(ctx, len(texts), paid); err != nil {
		return err
	}
	g.Assumptions = append(slices.Clone(g.Assumptions), uncovered)
	all, source := make([]told, len(texts)), noise.Crypto()
	for i, e := range explained {
		all[i] = told{Class: o.class, Guarantee: g, Private: true}
		if all[i].Told, err = m.Release(e, source); err != nil {
			return err
		}
	}
	return o.tell(std.Out, all)
}

// uncovered says of which texts no ε covers what is told: weights that were trained on
// a text tell of it, whatever is drawn of an explanation. It refuses them unless the
// user wants them told of.
func (o *explainOptions) uncovered(p *asked, texts []string) (string, error) {
	const unknown = "ε covers what an explanation tells of a text that the predictor was not trained on; which those are is not known here"
	if p.model == nil {
		return unknown, nil
	}
	known, maskers, err := p.model.Trained()
	if errors.Is(err, model.ErrNotKnown) {
		return unknown, nil
	} else if err != nil {
		return "", err
	}
	hits := 0
	for _, s := range texts {
		if known.Text(s, maskers, nil) {
			hits++
		}
	}
	switch {
	case hits > 0 && !o.trained:
		return "", fmt.Errorf("--release: the model in %s was trained on %d of these %d texts, which ε does not cover; nothing was paid or told: ask of others, or say --include-trained to tell of them uncovered, which is then said beside them", o.model, hits, len(texts))
	case hits > 0:
		return fmt.Sprintf("%d of these %d texts are not covered: the model was trained on them", hits, len(texts)), nil
	}
	return "ε covers what an explanation tells of its text; the texts that the model was trained on are not covered, and these are none of them", nil
}

// forRelease explains texts; nil for one that has no words, or too many.
func (o *explainOptions) forRelease(ctx context.Context, p *asked, texts []string, to io.Writer) ([]*explain.Explanation, error) {
	all := make([]*explain.Explanation, len(texts))
	for i, s := range texts {
		r, err := o.explain(ctx, p, []string{s}, to)
		switch {
		case errors.Is(err, explain.ErrWords):
		case err != nil:
			return nil, err
		default:
			all[i] = r[0].Explanation
		}
	}
	return all, nil
}

// tell prints what may leave.
func (o *explainOptions) tell(out io.Writer, all []told) error {
	if o.json {
		for _, t := range all {
			if err := term.PrintJSON(out, t); err != nil {
				return err
			}
		}
		return nil
	}
	t := term.NewTable(out, "TEXT", "RANK", "WORD", "SPEAKS")
	for i, r := range all {
		for k, w := range r.Told {
			word, side := w.Word, w.Speaks+" "+o.class
			if word == "" {
				word, side = "none of the list", ""
			}
			t.Row(i+1, k+1, word, side)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "each text is told of with %v, paid by %s; the list, the class and the number of texts are public\nassuming: %s\n", all[0].Guarantee, term.Plain(o.payment.User), strings.Join(all[0].Guarantee.Assumptions, "; "))
	return err
}

// readWords reads a public list, one word a line; empty lines and those that begin
// with # are skipped.
func readWords(path string) ([]string, error) {
	return term.ReadFile(path, func(r io.Reader) ([]string, error) {
		content, err := io.ReadAll(io.LimitReader(r, 1<<20))
		if err != nil {
			return nil, err
		}
		var words []string
		for line := range strings.Lines(string(content)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				words = append(words, line)
			}
		}
		return words, nil
	})
}
