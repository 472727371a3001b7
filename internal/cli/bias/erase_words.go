package bias

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"sotto/bias"
	"sotto/bias/direction"
	"sotto/bias/erase"
	"sotto/bias/weat"
	"sotto/internal/cli/term"
	"sotto/measure"
	"sotto/nn"
)

// eraseDirection says what hard debiasing removes.
type eraseDirection struct {
	Pairs      int            `json:"pairs"` // that define it and were found
	Confidence measure.Number `json:"confidence"`
}

func (o *eraseOptions) eraseWords(ctx context.Context, files *eraseFiles, std term.Streams) error {
	table, name, err := o.table(ctx)
	if err != nil {
		return err
	}
	concept, from, err := o.chooseWords(table)
	if err != nil {
		return err
	}
	before, err := o.wordTrial(table, concept, o.method == string(erase.MethodLEACE))
	if err != nil {
		return err
	}
	if err = before.enough(o.method != string(erase.MethodHard)); err != nil {
		return err
	}
	var e *erase.Eraser
	var found *eraseDirection
	var iterations []erase.Iteration
	if o.method == string(erase.MethodHard) {
		e, found, err = o.hard(table)
	} else {
		e, iterations, err = o.fit(ctx, before, std.Err)
	}
	if err != nil {
		return err
	}
	report := o.about(e, name)
	report.Concept, report.Direction, report.Iterations = before.concept(from), found, iterations
	report.Concept.Lost = concept.Lost
	erased, changes, err := e.ApplyTable(before.pool, table)
	if err != nil {
		return err
	}
	after, err := o.wordTrial(erased, concept, false)
	if err != nil {
		return err
	}
	if err = o.judge(ctx, before, after, &report, std.Err); err != nil {
		return err
	}
	if o.concept == "" {
		if report.Weat, err = weatOfGender(ctx, table, erased); err != nil {
			return err
		}
	}
	if err = files.save.Fill(e.Write); err != nil {
		return err
	}
	return o.writeErased(erased, changes, report, files, std)
}

// eraseWeat is an association test of gender before and after.
type eraseWeat struct {
	Test    string         `json:"test"`
	About   string         `json:"about"`
	Refused string         `json:"refused,omitempty"`
	Before  measure.Number `json:"effect_before"`
	BeforeP measure.Number `json:"p_before"`
	After   measure.Number `json:"effect_after"`
	AfterP  measure.Number `json:"p_after"`
}

// weatOfGender makes the association tests of gender on both tables.
func weatOfGender(ctx context.Context, before, after *bias.Table) ([]eraseWeat, error) {
	tests := weat.Builtin()[5:8]
	raw, err := weat.RunAll(ctx, before, tests, weat.Options{}, nil)
	if err != nil {
		return nil, err
	}
	erased, err := weat.RunAll(ctx, after, tests, weat.Options{}, nil)
	if err != nil {
		return nil, err
	}
	var all []eraseWeat
	for i, t := range tests {
		x, y := raw[i].Variants[0], erased[i].Variants[0]
		all = append(all, eraseWeat{
			Test: t.Name, About: t.About, Refused: cmp.Or(x.Refused, y.Refused),
			Before: measure.Number(x.Effect), BeforeP: measure.Number(x.P), After: measure.Number(y.Effect), AfterP: measure.Number(y.P),
		})
	}
	return all, nil
}

// wordTrial makes a trial of the words of a concept.
func (o *eraseOptions) wordTrial(t *bias.Table, c erase.Concept, count bool) (*eraseTrial, error) {
	trial := o.newTrial(t.Dim(), c.Classes, [3]int{})
	if count {
		if err := trial.count(t.Dim()); err != nil {
			return nil, err
		}
	}
	for k, i := range c.Rows {
		if err := trial.add(o.Seed, k, t.Row(i), c.Z[k]); err != nil {
			return nil, err
		}
	}
	for _, k := range c.Clear {
		trial.shown, trial.shownZ = append(trial.shown, t.Row(c.Rows[k])...), append(trial.shownZ, c.Z[k])
	}
	return trial, nil
}

// applyWords applies a stored eraser to word vectors.
func (o *eraseOptions) applyWords(ctx context.Context, files *eraseFiles, std term.Streams) error {
	table, name, err := o.table(ctx)
	if err != nil {
		return err
	}
	e, err := o.stored(table.Dim())
	if err != nil {
		return err
	}
	erased, changes, err := e.ApplyTable(nn.NewPool(runtime.GOMAXPROCS(0)), table)
	if err != nil {
		return err
	}
	return o.writeErased(erased, changes, o.about(e, name), files, std)
}

// writeErased writes an erased table, and then the report.
func (o *eraseOptions) writeErased(t *bias.Table, changes erase.Changes, report eraseReport, files *eraseFiles, std term.Streams) error {
	report.Changes, report.Rows = &changes, t.Len()
	if err := writeWords(files.out.File, t, strings.HasSuffix(strings.ToLower(o.out), ".gz")); err != nil {
		return err
	}
	if err := files.finish(nil, std.Out); err != nil {
		return err
	}
	return o.show(report, std)
}

// table reads all word vectors, or makes those of the words of --concept.
func (o *eraseOptions) table(ctx context.Context) (*bias.Table, string, error) {
	if len(o.encoders) == 0 {
		t, _, err := o.read(o.vectors[0], nil)
		if err == nil {
			err = writable(t)
		}
		return t, o.vectors[0], err
	}
	text, err := os.ReadFile(o.concept)
	if err != nil {
		return nil, "", err
	}
	words := []string{}
	for line := range strings.Lines(string(text)) {
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	t, err := encodeWords(ctx, o.encoders[0], words)
	if err == nil {
		err = writable(t)
	}
	return t, o.encoders[0], err
}

// writable refuses a table with words that a text file of vectors cannot hold,
// before work is spent on it.
func writable(t *bias.Table) error {
	for i := range t.Len() {
		if word := t.Word(i); word == "" || strings.ContainsAny(word, " \r\n") {
			return fmt.Errorf("word %d is empty or has a space, which a text file of vectors cannot hold; leave it out or put an underscore for the space", i+1)
		}
	}
	return nil
}

// chooseWords returns the words that show the concept, and where they are from.
func (o *eraseOptions) chooseWords(t *bias.Table) (erase.Concept, string, error) {
	if o.concept != "" {
		c, err := term.ReadFile(o.concept, func(r io.Reader) (erase.Concept, error) { return erase.ReadConcept(r, t) })
		return c, o.concept, err
	}
	g := erase.Gender{Words: o.words, Neutral: o.neutral, Seed: o.Seed}
	var err error
	if o.specific != "" {
		if g.Exclude, err = term.ReadFile(o.specific, parseList); err != nil {
			return erase.Concept{}, "", err
		}
	}
	c, err := g.Choose(t)
	return c, "gender: the words with the largest and smallest cosine with she − he", err
}

// hard makes the eraser of hard debiasing, by the direction of defining pairs.
func (o *eraseOptions) hard(t *bias.Table) (*erase.Eraser, *eraseDirection, error) {
	set := direction.Words{Language: "en", Pairs: direction.Bolukbasi()}
	if o.defining != "" {
		pairs, err := term.ReadFile(o.defining, parsePairs)
		if err != nil {
			return nil, nil, err
		}
		set.Pairs = nil
		for _, p := range pairs {
			set.Pairs = append(set.Pairs, direction.Pair{Name: p[0] + "/" + p[1], Female: p[0], Male: p[1]})
		}
	}
	found, err := direction.Measure(t, set, direction.Options{})
	if err != nil {
		return nil, nil, err
	}
	if found.Refused != "" {
		return nil, nil, fmt.Errorf("there is no direction of gender to remove: %s", found.Refused)
	}
	var specific []string
	var pairs [][2]string
	for _, p := range set.Pairs {
		specific = append(specific, p.Female, p.Male)
		pairs = append(pairs, [2]string{p.Female, p.Male})
	}
	if o.specific != "" {
		if specific, err = term.ReadFile(o.specific, parseList); err != nil {
			return nil, nil, err
		}
	}
	if o.pairs != "" {
		if pairs, err = term.ReadFile(o.pairs, parsePairs); err != nil {
			return nil, nil, err
		}
	}
	e, err := erase.NewHard([][]float64{found.Direction()}, specific, pairs)
	return e, &eraseDirection{found.Pairs, found.Confidence}, err
}

// maxList bounds a list of words.
const maxList = 1 << 24

// parseList reads words, a JSON list or one a line.
func parseList(r io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxList))
	if err != nil {
		return nil, err
	}
	var words []string
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if err := json.Unmarshal(text, &words); err != nil {
			return nil, errors.New("the list is no JSON list of words")
		}
		return words, nil
	}
	for line := range strings.Lines(string(text)) {
		if word := strings.TrimSpace(line); word != "" {
			words = append(words, word)
		}
	}
	return words, nil
}

// parsePairs reads a JSON list of lists of two words.
func parsePairs(r io.Reader) ([][2]string, error) {
	var lists [][]string
	d := json.NewDecoder(io.LimitReader(r, maxList))
	if err := d.Decode(&lists); err != nil {
		return nil, errors.New("the list is no JSON list of lists of two words")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file goes on after its list, must end there")
	}
	pairs := make([][2]string, len(lists))
	for i, l := range lists {
		if len(l) != 2 || l[0] == "" || l[1] == "" {
			return nil, fmt.Errorf("list %d has %d words, must have 2", i+1, len(l))
		}
		pairs[i] = [2]string{l[0], l[1]}
	}
	return pairs, nil
}

// writeWords writes a table as text, a word and its numbers a line, to the
// precision of float32.
func writeWords(w io.Writer, t *bias.Table, compress bool) error {
	out := w
	finish := func() error { return nil }
	if compress {
		z := gzip.NewWriter(w)
		out, finish = z, z.Close
	}
	b := bufio.NewWriterSize(out, 1<<16)
	var line []byte
	for i := range t.Len() {
		line = append(line[:0], t.Word(i)...)
		for _, v := range t.Row(i) {
			line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 32)
		}
		b.Write(append(line, '\n'))
	}
	return errors.Join(b.Flush(), finish())
}
