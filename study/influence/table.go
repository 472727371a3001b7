package influence

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sotto/compute/nn"
)

// fill computes the table of words: what the network makes of each word that could
// stand in place of others, by part of speech.
func (s *Student) fill(ctx context.Context, o Options) error {
	s.table = map[string]nn.Matrix{}
	done := 0
	for _, tag := range slices.Sorted(maps.Keys(s.vocabulary)) {
		words := s.vocabulary[tag]
		t := nn.NewMatrix(len(words), s.network.width)
		for lo := 0; lo < len(words); lo += blockRows {
			hi := min(len(words), lo+blockRows)
			part, err := s.parts(ctx, words[lo:hi])
			if err != nil {
				return err
			}
			copy(t.Data[lo*t.Cols:], part.Data)
			o.tell("reading the vocabulary", done+hi, s.vocabulary.Len())
		}
		done += len(words)
		s.table[tag] = t
	}
	return nil
}

// Tags returns the parts of speech of the vocabulary, and how many words each has.
func (s *Student) Tags() map[string]int {
	n := map[string]int{}
	for tag, words := range s.vocabulary {
		n[tag] = len(words)
	}
	return n
}

// listed returns the words of a part of speech and what the network makes of them.
func (s *Student) listed(tag string) ([]string, nn.Matrix, error) {
	words, ok := s.vocabulary[tag]
	if !ok {
		return nil, nn.Matrix{}, fmt.Errorf("influence: the student knows no words of the part of speech %q, must be one of %v", tag, slices.Sorted(maps.Keys(s.vocabulary)))
	}
	return words, s.table[tag], nil
}
