package bert

import "sotto/text"

// WordPiece returns the model's tokeniser.
func (m *Model) WordPiece() *text.WordPiece { return m.tokeniser }
