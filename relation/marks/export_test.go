package marks

import "sotto/text"

// Sequence returns a sentence as tokens of at most limit, and where the marks stand.
func Sequence(w *text.WordPiece, limit int, s Sentence) (text.Tokens, [2]int, error) {
	m, err := newMarker(w, []string{""}, limit)
	if err != nil {
		return text.Tokens{}, [2]int{}, err
	}
	t, places := m.sequence(s)
	return t, places, nil
}
