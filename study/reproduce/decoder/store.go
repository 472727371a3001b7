package decoder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/internal/atomicfile"
	"sotto/study/relation/joint"
	"sotto/study/relation/judge"
)

// numbers are those of one training: on the test part, and on what of it stands in no other.
type numbers struct {
	judge.ModelNumbers
	New *judge.ModelNumbers `json:"new_texts,omitempty"` // absent where all texts are new
}

// stored is the numbers of one training, as they are kept.
type stored struct {
	Format string `json:"format"`
	numbers
}

const storeFormat = "sotto-rule-decoder-run-2"

// recipe names how networks are made and trained. It changes with them, so that what another
// recipe gave is not taken for theirs.
const recipe = 2

// file names what decides a training: no text, and its hash alone; "" without a store.
func (w *work) file(s joint.Settings) string {
	if w.Store == "" {
		return ""
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, v := range []any{storeFormat, recipe, s, w.set.Name, w.rules.String(), len(w.train)} {
		enc.Encode(v) //nolint:errcheck,errchkjson // a hash takes everything
	}
	for _, x := range w.train {
		enc.Encode([]any{x.Doc.Text, x.Subject, x.Object, x.Relation}) //nolint:errcheck,errchkjson // see above
	}
	return filepath.Join(w.Store, w.set.Name+"-"+hex.EncodeToString(h.Sum(nil)[:12])+".json")
}

// kept returns what the store has of a training.
func (w *work) kept(file string) (numbers, bool, error) {
	if file == "" || w.Again {
		return numbers{}, false, nil
	}
	var s stored
	err := atomicfile.ReadJSON(file, &s)
	if errors.Is(err, fs.ErrNotExist) {
		return numbers{}, false, nil
	}
	if err == nil && s.Format != storeFormat {
		err = fmt.Errorf("decoder: format of %s is %.40q, must be %s; remove it, or use --again", file, s.Format, storeFormat)
	}
	return s.numbers, err == nil, err
}

// keep keeps the numbers of a training.
func (w *work) keep(file string, n numbers) error {
	if file == "" {
		return nil
	}
	if err := os.MkdirAll(w.Store, 0o700); err != nil {
		return fmt.Errorf("decoder: %w", err)
	}
	return atomicfile.WriteJSON(file, stored{storeFormat, n})
}
