package relation

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"sotto/data/dataset"
	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/study/language"
	"sotto/study/language/english"
)

// cached is a file of texts with their trees. Its name holds the digest of all that decides
// its content, so nothing that is stale is ever read; what cannot be read or written is
// computed again, and nobody need be told.
type cached struct{ path string }

// cacheVersion changes where the same texts and models would give other documents.
const cacheVersion = 1

// openCache returns the file for texts, whose documents have words alone.
func openCache(o Options, texts []dataset.Related, docs []*language.Document) cached {
	if o.Cache == "-" {
		return cached{}
	}
	dir := o.Cache
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return cached{}
		}
		dir = filepath.Join(user, "sotto", "relations")
	}
	h := sha256.New()
	line := fmt.Appendf(nil, "%d %s %s\n", cacheVersion, o.Data, english.Digest())
	for k, d := range docs {
		h.Write(line)
		line = fmt.Appendf(line[:0], "%d %s %v", len(d.Text), d.Text, texts[k].Entities)
		for _, t := range d.Tokens {
			line = fmt.Appendf(line, " %d %d", t.Start, t.End)
		}
	}
	h.Write(line)
	return cached{filepath.Join(dir, fmt.Sprintf("%s-%s.parsed", o.Data, hex.EncodeToString(h.Sum(nil))[:20]))}
}

// read returns the documents, or nil.
func (c cached) read(like []*language.Document) []*language.Document {
	if c.path == "" {
		return nil
	}
	content, err := regular.Read(c.path, 1<<30)
	if err != nil {
		return nil
	}
	var docs []*language.Document
	if gob.NewDecoder(bytes.NewReader(content)).Decode(&docs) != nil || len(docs) != len(like) {
		return nil
	}
	for k, d := range docs {
		if d.Text != like[k].Text || d.Check() != nil {
			return nil
		}
	}
	return docs
}

// write keeps documents.
func (c cached) write(docs []*language.Document) {
	if c.path == "" || os.MkdirAll(filepath.Dir(c.path), 0o700) != nil {
		return
	}
	f, err := atomicfile.Create(c.path)
	if err != nil {
		return
	}
	defer f.Abort()
	w := bufio.NewWriter(f)
	if gob.NewEncoder(w).Encode(docs) == nil && w.Flush() == nil {
		_ = f.Commit() // computed again next time
	}
}
