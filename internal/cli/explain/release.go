package explain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"sotto/dp"
	"sotto/explain"
	"sotto/explain/release"
	"sotto/internal/cli/term"
	"sotto/ledger"
	"sotto/noise"
)

// releaseFlags say what of explanations is let out.
type releaseFlags struct {
	release bool
	epsilon float64
	words   string
	top     int
	payment term.Payment
}

func (o *releaseFlags) addFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.release, "release", false, "tell the strongest words of a public list by chance, paid for from a ledger, in place of an explanation")
	fs.Float64Var(&o.epsilon, "epsilon", 0, "ε of all that --release tells of one text")
	fs.StringVar(&o.words, "words", "", "file of the public list for --release, one word a line")
	fs.IntVar(&o.top, "top", 1, "number of words that --release tells of a text, which share ε evenly")
	o.payment.AddFlags(fs, "--release", "user whose texts they are, and whose budget pays")
}

// refuseRelease refuses what has no meaning with --release or without.
func (o *explainOptions) refuseRelease(fs *pflag.FlagSet) error {
	if !o.release {
		return term.Refuse(fs, "without --release", "epsilon", "words", "top", "ledger", "secret", "head", "user")
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
	Told      []release.Told `json:"told"`
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
	m, err := release.New(list, release.Options{Epsilon: o.epsilon, Top: o.top})
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
	all, source := make([]told, len(texts)), noise.Crypto()
	for i, e := range explained {
		all[i] = told{Class: o.class, Guarantee: g, Private: true}
		if all[i].Told, err = m.Release(e, source); err != nil {
			return err
		}
	}
	return o.tell(std.Out, all)
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
	_, err := fmt.Fprintf(out, "each text is told of with %v, paid by %s; the list, the class and the number of texts are public\n", all[0].Guarantee, term.Plain(o.payment.User))
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
