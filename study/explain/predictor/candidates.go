package predictor

import (
	"strings"

	"sotto/text/encode/bert"
	"sotto/text/encode/static"
)

// Candidates returns words that the encoder of the model knows, to put in place of
// others: whole words of three letters or more, common ones first as far as its
// vocabulary is in that order, and the built-in encoder's where it has no vocabulary. A
// transformer has fewer, since each is asked about.
func (m *Model) Candidates() ([]string, error) {
	var tokens []string
	most := 6000
	switch e := m.source.(type) {
	case *static.Encoder:
		tokens = e.WordPiece().Vocabulary()
	case *bert.Model:
		tokens, most = e.WordPiece().Vocabulary(), 600
	default:
		table, err := static.Default()
		if err != nil {
			return nil, err
		}
		tokens = table.WordPiece().Vocabulary()
	}
	var words []string
	for _, t := range tokens {
		if len(t) >= 3 && strings.Trim(t, "abcdefghijklmnopqrstuvwxyz") == "" {
			words = append(words, t)
		}
		if len(words) == most {
			break
		}
	}
	return words, nil
}
