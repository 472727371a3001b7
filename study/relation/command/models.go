package relation

import (
	"fmt"

	"sotto/study/relation"
	"sotto/study/relation/folder"
)

// openModel opens the model in a folder.
func openModel(dir string) (relation.Model, error) {
	m, err := folder.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	return m, nil
}
