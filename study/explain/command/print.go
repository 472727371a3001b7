package explain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"sotto/command/term"
	"sotto/evidence/page"
	"sotto/internal/layout"
	"sotto/study/explain"
)

// mostWords is how many words of a text are listed with their weights.
const mostWords = 12

// notPrivate stands below explanations.
const notPrivate = "an explanation names words of the text, and no ε covers that: it is for the trusted side alone"

// printAll prints explanations for a person.
func printAll(out io.Writer, all []result, promise string) error {
	b := layout.NewBuffer(out)
	for i, r := range all {
		if i > 0 {
			fmt.Fprintln(b)
		}
		if len(all) > 1 {
			fmt.Fprintf(b, "text %d of %d\n", i+1, len(all))
		}
		fmt.Fprintf(b, "%s\n\n", marked(b, r))
		t := term.NewTable(b)
		facts(t, r)
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(b)
		words := term.NewTable(b, "WORD", "WEIGHT", "SPEAKS")
		strongest, left := strongest(r.Explanation, mostWords)
		for _, w := range strongest {
			words.Row(visible(w.Text), weight(w), speaks(w, r.Class))
		}
		if err := words.Flush(); err != nil {
			return err
		}
		if left > 0 {
			fmt.Fprintf(b, "and %d words that weigh less\n", left)
		}
	}
	fmt.Fprintf(b, "\nnot private: %s", notPrivate)
	if promise != "" {
		fmt.Fprintf(b, ". What the model releases promises %s; see --release for explanations that may leave", promise)
	}
	fmt.Fprintln(b)
	return b.Flush()
}

// facts says what was explained and how well.
func facts(t *term.Table, r result) {
	t.Fact("answer", "%s", visible(r.Prediction))
	from := "without a word"
	switch r.Method {
	case "lime":
		from = "by the local model without a word"
	case "ig", "gradient":
		from = "at the baseline, punctuation included"
	case "influence":
		from = "of a class by chance; weights are what the student says, from −1 to 1"
	}
	t.Fact("explained", "the probability of %s, %.4f; it is %.4f %s", visible(r.Class), r.Probability, r.Base, from)
	if r.View != "" {
		t.Fact("view", "%s", map[string]string{"before": "before the release: as if nothing were drawn", "expected": "expected: how often receivers answer so"}[string(r.View)])
	}
	switch {
	case r.Method == "ig":
		t.Fact("check", "complete to within %.1e after %d steps", r.Check, r.Steps)
	case r.Limit > 0:
		t.Fact("check", "adds up to within %.1e", r.Check)
	default:
		t.Fact("check", "weights and base miss the probability by %.4f; this method does not promise that they add up", r.Check)
	}
	if l := r.Local; l != nil {
		t.Fact("local fit", "R² = %.3f on %d samples", l.R2, l.Samples)
		t.Fact("stability", "%d runs of %d samples under seeds of their own share %.0f %% of their %d strongest words; a weight deviates by at most %.4f", l.Runs, l.Within, 100*l.Agreement, l.Top, l.Deviation)
	}
	t.Fact("asked", "about %s", page.Plural(r.Asked, "text", "texts"))
	if n := r.Noise; n != nil {
		how := "exactly"
		if !n.Exact {
			how = fmt.Sprintf("± %.1f, counted over %d draws", 100*n.Error, n.Draws)
		}
		t.Fact("noise", "flips %.1f %% of answers (%s); receivers mostly answer %s, %.1f %%", 100*n.Flips, how, visible(n.Likely), 100*n.Share)
	}
}

// nothing is below what is printed of a weight.
const nothing = 5e-5

func speaks(w explain.Token, class string) string {
	switch {
	case w.Weight >= nothing:
		return "for " + visible(class)
	case w.Weight <= -nothing:
		return "against " + visible(class)
	}
	return "neither"
}

// weight is how a weight is printed.
func weight(w explain.Token) string {
	if math.Abs(w.Weight) < nothing {
		return "0.0000"
	}
	return fmt.Sprintf("%+.4f", w.Weight)
}

// strongest returns the words of the largest weights, each place of a text by itself,
// and how many others have one.
func strongest(e *explain.Explanation, most int) (top []explain.Token, left int) {
	for _, w := range e.Tokens {
		if w.Weight != 0 {
			top = append(top, w)
		}
	}
	slices.SortStableFunc(top, func(a, b explain.Token) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	if len(top) > most {
		top, left = top[:most], len(top)-most
	}
	return top, left
}

// shade is how strongly a word stands out, from −1 to 1.
func shade(e *explain.Explanation) func(explain.Token) float64 {
	largest := 0.0
	for _, w := range e.Tokens {
		largest = max(largest, math.Abs(w.Weight))
	}
	return func(w explain.Token) float64 {
		if largest == 0 {
			return 0
		}
		return w.Weight / largest
	}
}

// standsOut is how strong a word must be to be marked in a terminal.
const standsOut = 0.15

// marked is the text with words that stand out: in colours, or between brackets.
func marked(w io.Writer, r result) string {
	var b strings.Builder
	at, of := 0, shade(r.Explanation)
	for _, t := range r.Tokens {
		b.WriteString(visible(r.text[at:t.Start]))
		word := visible(t.Text)
		switch v := of(t); {
		case v >= standsOut:
			word = painted(w, layout.Good, word, "+")
		case v <= -standsOut:
			word = painted(w, layout.Bad, word, "−")
		}
		b.WriteString(word)
		at = t.End
	}
	b.WriteString(visible(r.text[at:]))
	return b.String()
}

// painted is a word in a colour, or with a sign where there are none.
func painted(w io.Writer, colour func(io.Writer, string) string, word, sign string) string {
	if s := colour(w, word); s != word {
		return s
	}
	return "[" + sign + word + "]"
}

// visible leaves out what could play tricks on a terminal.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f' || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
}
