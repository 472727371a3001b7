package catalogue

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Transformer returns the folder of the transformer of that name or path, which can be
// tuned, and its name if it is no path.
func Transformer(encoder string) (dir, name string, err error) {
	if encoder == "minilm" {
		i, failed := Find(encoder)
		if failed != nil {
			return "", "", failed
		}
		if !i.Present {
			return "", "", fmt.Errorf("catalogue: minilm is not in %s: %w; get it by sotto encoder get minilm", i.Path, fs.ErrNotExist)
		}
		return i.Path, encoder, nil
	}
	info, err := os.Stat(encoder)
	if err != nil || !info.IsDir() || strings.Contains(encoder, ":") {
		return "", "", fmt.Errorf("catalogue: encoder is %.40q, must be minilm or the folder of a transformer of the BERT family to be tuned (--encoder)", cmp.Or(encoder, "default"))
	}
	return encoder, "", nil
}
