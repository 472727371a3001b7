package tune

import (
	"errors"
	"fmt"

	"sotto/text"
)

// takeTokens makes v the vectors of chosen tokens of texts that are tokens already.
func (v *vectors) takeTokens(d Data) {
	v.tokens, v.first = make([][]text.Tokens, len(d.Tokens)), d.Places
	for i, t := range d.Tokens {
		v.tokens[i] = []text.Tokens{t}
	}
	v.scale = asTheyAre(v.encoder.Width())
}

// known reports tokens that the encoder lacks, and texts that are too long.
func (v *vectors) known(d Data, length int) error {
	for i, t := range d.Tokens {
		if len(t.IDs) > length {
			return fmt.Errorf("tune: text %d has %d tokens, must have at most %d", i, len(t.IDs), length)
		}
		v.batch.Clear()
		v.batch.Add(t.IDs, t.Types)
		if err := v.encoder.Check(&v.batch); err != nil {
			return fmt.Errorf("tune: text %d: %w", i, err)
		}
	}
	return nil
}

// validateTokens reports the first fault of texts that are tokens already. Whether the
// encoder knows them is seen when it is there.
func (d Data) validateTokens() error {
	switch {
	case d.Texts != nil || d.Second != nil || d.Masked != nil || d.Tags != nil:
		return errors.New("tune: there are tokens and texts, must be one or the other")
	case d.Head == nil:
		return errors.New("tune: there are tokens and no head, must be a head that knows what its rows are")
	case len(d.Places) != len(d.Tokens):
		return fmt.Errorf("tune: there are places of %d texts, must be of %d", len(d.Places), len(d.Tokens))
	}
	for i, t := range d.Tokens {
		if len(t.IDs) == 0 || len(t.Types) != len(t.IDs) || len(d.Places[i]) == 0 {
			return fmt.Errorf("tune: text %d has %d tokens with %d types and %d places, must have some of each and a type a token", i, len(t.IDs), len(t.Types), len(d.Places[i]))
		}
		for k, at := range d.Places[i] {
			if at < 0 || at >= len(t.IDs) || k > 0 && at <= d.Places[i][k-1] {
				return fmt.Errorf("tune: a place of text %d is %d, must ascend from 0 to %d", i, at, len(t.IDs)-1)
			}
		}
	}
	return nil
}
