package influence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Beside is what the folder of a student that lies beside its model adds to the name of
// the model's. It is not within the model's, which is handed on to others, because a
// student's cache holds words of texts.
const Beside = ".student"

// Place returns the folder of a student where nobody names one.
func Place() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("influence: there is no folder for a student, name one: %w", err)
	}
	return filepath.Join(cache, "sotto", "influence"), nil
}

// Folder returns where to look for the student of a model of "sotto train": beside the
// model or the training that holds it, if there is one, else at [Place]. A model that is
// not named has none beside it.
func Folder(model string) (string, error) {
	if model != "" {
		dir, err := filepath.Abs(model)
		if err != nil {
			return "", err
		}
		for _, near := range []string{dir + Beside, filepath.Dir(dir) + Beside} {
			if _, err = ReadManifest(near); !errors.Is(err, fs.ErrNotExist) {
				return near, nil // if it cannot be read, opening it says why
			}
		}
	}
	return Place()
}
