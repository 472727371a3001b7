package vectors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/data/own"
	"sotto/data/table"
	"sotto/evidence"
	"sotto/learn/model"
	"sotto/learn/vectorise"
	"sotto/text"
)

// refuseTrained refuses flags about rows that a model was trained on where they have
// no meaning.
func (o *encodeOptions) refuseTrained(fs *pflag.FlagSet) error {
	if o.model == "" {
		return term.Refuse(fs, "without --model: no other vectors know what they were trained on", "skip-trained", "include-trained")
	}
	if o.skipTrained && o.includeTrained {
		return errors.New("--skip-trained and --include-trained are both given, must be one of them")
	}
	return nil
}

// membership tells the rows that a model was trained on from others. With persons, all
// rows of somebody whom it was trained on are like those that it was trained on.
type membership struct {
	known     *model.Trained // nil: nobody knows
	leaveOut  bool           // such rows are released if not
	maskers   []text.Masker  // with which the model was trained
	numbers   []string       // that it takes beside the texts
	places    []int          // of those, among the columns beside
	persons   bool           // that a guarantee of a person is asked for
	byCluster bool           // and that nobody named them

	out  int64 // rows left out
	rows int64 // released, and not covered
	// of says what is known of each person, if persons are asked for; late that rows of
	// one were released before another showed that the model was trained on them.
	of   map[dataset.Digest]*personSeen
	late bool
}

// personSeen is how many rows of a person are released, and whether the model was
// trained on one, released or not.
type personSeen struct {
	rows    int64
	trained bool
}

// tell looks up what the model was trained on, and finds in the file what must be known
// of it before anything is released.
func (o *encodeOptions) tell(ctx context.Context, rows *besides, t *trained, maskers []text.Masker) (err error) {
	if rows.seen, err = o.membership(t, maskers); err != nil {
		return err
	}
	return rows.seen.find(ctx, o, rows)
}

// membership looks up what the model was trained on; nil without a model.
func (o *encodeOptions) membership(t *trained, maskers []text.Masker) (*membership, error) {
	if t == nil {
		return nil, nil //nolint:nilnil // there is nothing to tell
	}
	s := &membership{leaveOut: !o.includeTrained, numbers: t.Numbers, persons: o.persons(), byCluster: len(o.linkBy) > 0, of: map[dataset.Digest]*personSeen{}}
	var err error
	if s.known, s.maskers, err = t.Trained(maskers); errors.Is(err, model.ErrNotKnown) {
		if o.skipTrained {
			return nil, fmt.Errorf("--skip-trained: %w: the folder was made before folders said so; train the model again", err)
		}
		return s, nil
	} else if err != nil {
		return nil, err
	}
	for _, name := range t.Numbers {
		s.places = append(s.places, slices.Index(o.beside(), name))
	}
	return s, nil
}

// named reports whether the model's folder knows the persons of a file by their names.
// By its rows they are known besides: who is called something else here, as by another
// column, must not pass for somebody new.
func (s *membership) named() bool { return !s.byCluster && s.known.Persons() }

// trainedOn reports whether the model was trained on a row, or on another of the same
// person, as far as the rows so far tell.
func (s *membership) trainedOn(t string, values []table.Value, who table.Value) bool {
	hit := false
	if numbers, ok := s.beside(values); ok {
		hit = s.known.Text(t, s.maskers, numbers)
	}
	if !s.persons {
		return hit
	}
	name := dataset.PersonDigest(who.Text)
	p := s.of[name]
	if p == nil {
		p = &personSeen{trained: s.named() && s.known.Person(name)}
		s.of[name] = p
	}
	if hit && !p.trained {
		p.trained, s.late = true, s.late || p.rows > 0
	}
	return p.trained
}

// beside returns the numbers of a row as the model took them, false for a row that has
// none such, which is an error of its own wherever it would be released.
func (s *membership) beside(values []table.Value) ([]float32, bool) {
	var numbers []float32
	for k, at := range s.places {
		x, err := own.ParseNumber(s.numbers[k], values[at].Text)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, x)
	}
	return numbers, true
}

// leftOut returns how many rows were left out.
func (s *membership) leftOut() int64 {
	if s == nil {
		return 0
	}
	return s.out
}

// released counts a row that is released.
func (s *membership) released(hit bool, who table.Value) {
	if s.persons {
		s.of[dataset.PersonDigest(who.Text)].rows++
	} else if hit {
		s.rows++
	}
}

// find looks through the file once before anything is released, where a row may tell
// of a person whose other rows come before it.
func (s *membership) find(ctx context.Context, o *encodeOptions, b *besides) error {
	if s == nil || s.known == nil || !s.leaveOut || !s.persons {
		return nil
	}
	if o.in == "-" && (s.named() || !o.skipTrained) {
		return nil // the first row that tells is enough to refuse
	} else if o.in == "-" {
		return errors.New("--in is standard input with --person and a model that was trained without it, must be a file: rows are read twice, first to find whom the model was trained on; or train it with --person")
	}
	in, err := o.OpenDeclared(o.in, nil, o.skipBad, o.beside()...)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	for n := 1; ; n++ {
		t, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		who, err := b.who(in.Beside())
		if o.skipBad && errors.As(err, new(vectorise.Unfit)) {
			continue
		}
		if err != nil {
			return err
		}
		s.trainedOn(t, in.Beside(), who)
	}
	if b.linked != nil {
		b.linked.at = 0
	}
	return nil
}

// refusal is the error of a file that holds rows that the model was trained on, nil
// where that was not to be refused or there are none.
func (s *membership) refusal(o *encodeOptions, released int64) error {
	if s != nil && s.late && o.skipTrained {
		return errors.New("standard input: the model was trained on a row of somebody whom its folder does not know by this name, and who has other rows before; --in must be a file, which is read twice")
	}
	if s == nil || s.out == 0 || o.skipTrained && released > 0 {
		return nil
	}
	in := o.in
	if in == "-" {
		in = "standard input"
	}
	if o.skipTrained {
		return fmt.Errorf("%s: the model in %s was trained on all %d rows, or on others of the same persons, so that nothing is left to release with --skip-trained", in, o.model, s.out)
	}
	what := "%d of these rows, which its ε does not cover"
	if s.persons {
		what = "rows of the persons of %d of these rows, whom its ε does not cover"
	}
	return fmt.Errorf("%s: the model in %s was trained on "+what+"; nothing was written: release other rows, or leave these out with --skip-trained, or release them uncovered with --include-trained, which the record then says", in, o.model, s.out)
}

// uncovered returns how many of so many released rows no guarantee covers.
func (s *membership) uncovered(of int64) *evidence.Uncovered {
	switch {
	case s == nil:
		return nil
	case s.known == nil:
		return &evidence.Uncovered{}
	}
	rows := s.rows
	for _, p := range s.of {
		if p.trained {
			rows += p.rows
		}
	}
	rows = min(rows, of) // the mechanism may have left out some
	return &evidence.Uncovered{Rows: &rows}
}

// assumed adds to assumptions what is not covered.
func (s *membership) assumed(assumptions []string, u *evidence.Uncovered, of int64) []string {
	if s == nil {
		return assumptions
	}
	var all []string
	switch {
	case u.Rows == nil:
		all = append(all, "how many of these rows the model was trained on is not known, since its folder does not say it; those are not covered")
	case *u.Rows > 0 && s.persons:
		all = append(all, fmt.Sprintf("%d of these %d rows are not covered: the model was trained on rows of the same persons", *u.Rows, of))
	case *u.Rows > 0:
		all = append(all, fmt.Sprintf("%d of these %d rows are not covered: the model was trained on them", *u.Rows, of))
	}
	if s.out > 0 {
		all = append(all, fmt.Sprintf("%d rows were left out because the model was trained on them, or on others of the same persons; that they are missing is visible, and not covered by ε", s.out))
	}
	if s.persons && s.known != nil && !s.named() {
		all = append(all, "whom the model was trained on is known by the rows of this file alone, so that a person of whom it saw other rows is not covered")
	}
	return append(slices.Clone(assumptions), all...)
}
