package relation

import (
	"fmt"
	"os"

	"sotto/relation"
	"sotto/relation/joint"
	"sotto/relation/marks"
)

// kind is a kind of model that "sotto relations train" writes.
type kind struct {
	is   func(dir string) bool // whether a folder holds one
	open func(dir string) (relation.Model, error)
}

// kinds are the models that can be asked.
var kinds = []kind{
	{joint.Is, func(dir string) (relation.Model, error) { return joint.Open(dir) }},
	{marks.Is, func(dir string) (relation.Model, error) { return marks.Open(dir) }},
}

// openModel opens the model in a folder.
func openModel(dir string) (relation.Model, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("--model: %s is no folder, must be one of sotto relations train", dir)
	}
	for _, k := range kinds {
		if k.is(dir) {
			return k.open(dir)
		}
	}
	return nil, fmt.Errorf("--model: %s holds no model of relations, must be a folder of sotto relations train", dir)
}
