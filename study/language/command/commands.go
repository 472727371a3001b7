// Package language holds tag and language, the commands that take texts apart into words, trees and entities.
package language

import (
	"os"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/language/model"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newTag(std), newLanguage(std)}
}

func newLanguage(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{
		Use:   "language",
		Short: "Train and judge what finds words, tags, trees and lemmas",
		Long: `Train and judge the model that "sotto tag" and masks by type use. The one that is
built in was trained on the English Web Treebank of Universal Dependencies, which
is under CC BY-SA 4.0, and so is it.`,
	}, newTrain(std), newEvaluate(std), newLexicons(std))
}

// open returns the model of a file or of a folder, or the one that is built in for "".
func open(path string) (*model.Model, error) {
	if path == "" {
		return english.Model()
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return model.OpenLarge(path)
	}
	return model.Load(path)
}

// modelHelp is the help of a flag that names a model.
const modelHelp = "file or folder that sotto language train made (default: the model that is built in)"

// pipeline returns what fills documents: with a model of one's own, its words and
// trees and the entities that are built in.
func pipeline(path string) (language.Pipeline, error) {
	m, err := open(path)
	if err != nil {
		return nil, err
	}
	return english.Around(m)
}
