package table

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sotto/data/dataset"
)

// folder reads a text a file.
type folder struct {
	r       *Reader
	dir     fs.FS
	files   []string
	columns []string
	split   bool // the outermost folders are parts
	at      int
	sums    []byte // hashes of what was read
}

// openFolder finds the texts in a folder.
func openFolder(root string, info fs.FileInfo, o Options, declared bool) (*Reader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: it is a file and format is folder, must be a folder", o.Name)
	}
	if o.Format != "" && o.Format != Folder {
		return nil, fmt.Errorf("%s: it is a folder and format is %s, must be a file", o.Name, o.Format)
	}
	o.Format = Folder
	r := &Reader{opt: o, labelled: -1, declared: declared}
	f := &folder{r: r, dir: os.DirFS(root)}
	if err := f.find(); err != nil {
		return nil, err
	}
	r.src = f
	r.selectAll()
	return r, nil
}

// find lists the files that are texts by their extension, or those without one
// if there are none, and finds what their folders say.
func (f *folder) find() error {
	var texts, bare []string
	others, tables := 0, 0
	err := fs.WalkDir(f.dir, ".", func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		switch {
		case err != nil:
			return f.r.errorf("%w", err)
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden:
			return nil
		case !d.Type().IsRegular():
			others++
			return nil
		}
		switch path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
		case ".txt", ".text", ".md":
			texts = append(texts, name)
		case "":
			bare = append(bare, name)
		default:
			others++
			if ByName(name) != "" {
				tables++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	f.files = texts
	if len(texts) == 0 && !f.r.declared { // else one file that ends in .txt would hide all others
		f.files, bare = bare, nil
	}
	if others += len(bare); others > 0 {
		f.r.notes = append(f.r.notes, fmt.Sprintf("%d files are no texts by their names, and left out", others))
	}
	if len(f.files) == 0 {
		if tables > 0 {
			return f.r.errorf("it is a folder without texts, must hold files that end in .txt; of tables such as its %d, one must be named", tables)
		}
		return f.r.errorf("it is a folder without files that end in .txt: %w", ErrEmpty)
	}
	f.layout()
	return nil
}

// layout finds the columns.
func (f *folder) layout() {
	deep, label := 0, false
	if f.columns = []string{"text", "file", "label"}; f.r.declared { // else one folder would rename all others
		return
	}
	f.split = true
	for _, name := range f.files {
		if first, rest, ok := strings.Cut(name, "/"); ok {
			deep++
			_, part := dataset.ParsePart(first)
			f.split = f.split && part
			label = label || strings.Contains(rest, "/")
		}
	}
	f.split = f.split && deep > 0
	f.columns = []string{"text", "file"}
	if label || (deep > 0 && !f.split) {
		f.columns = append(f.columns, "label")
	}
	if f.split {
		f.columns = append(f.columns, "split")
	}
}

// names implements [source].
func (f *folder) names() []string { return f.columns }

// next implements [source].
func (f *folder) next(row []Value) (int64, error) {
	if f.at == len(f.files) {
		return int64(f.at), io.EOF
	}
	name := f.files[f.at]
	f.at++
	text, err := f.read(name)
	if err != nil {
		var unreadable *fs.PathError
		if errors.As(err, &unreadable) {
			return int64(f.at), f.r.errorf("%s: %w", filepath.FromSlash(name), unreadable.Err)
		}
		return int64(f.at), &RowError{Name: f.r.opt.Name, Line: int64(f.at), Rows: true, Reason: fmt.Sprintf("%s: %v", filepath.FromSlash(name), err)}
	}
	values := map[string]Value{"text": {Text: text, Kind: String}, "file": {Text: name, Kind: String}}
	folders := strings.Split(path.Dir(name), "/")
	if folders[0] == "." {
		folders = nil
	}
	if f.split && len(folders) > 0 {
		values["split"] = Value{Text: folders[0], Kind: String}
		folders = folders[1:]
	}
	if len(folders) > 0 || f.r.declared {
		values["label"] = Value{Text: strings.Join(folders, "/"), Kind: String}
	}
	for i, at := range f.r.pick {
		row[i] = values[f.columns[at]]
	}
	return int64(f.at), nil
}

// read returns the text of a file, without the line end at its end.
func (f *folder) read(name string) (string, error) {
	in, err := f.dir.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close() //nolint:errcheck // it was only read
	raw, err := io.ReadAll(io.LimitReader(in, maxRow+1))
	if err != nil {
		return "", err
	}
	if len(raw) > maxRow {
		return "", fmt.Errorf("it has more than %d MiB, must have fewer", maxRow>>20)
	}
	sum := sha256.Sum256(raw)
	f.sums = fmt.Appendf(f.sums, "%x  %s\n", sum, name)
	if len(raw) == 0 {
		return "", nil
	}
	text, err := f.input(name, raw)
	if err != nil {
		return "", err
	}
	defer text.Close() //nolint:errcheck // it is in memory
	if text.parquet {
		return "", errors.New("it is Parquet, must be a text")
	}
	b, err := io.ReadAll(io.LimitReader(text.text, maxRow+1))
	if err != nil {
		return "", err
	}
	if len(b) > maxRow {
		return "", fmt.Errorf("it has more than %d MiB, must have fewer", maxRow>>20)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// input is the text that a file holds.
func (f *folder) input(name string, raw []byte) (*input, error) {
	o := Options{Format: Text, Encoding: f.r.opt.Encoding}
	if f.r.declared {
		return declaredInput(bytes.NewReader(raw), o, packing(name))
	}
	return newInput(bytes.NewReader(raw), o)
}

// hash reads what has not been read and returns the hash of all.
func (f *folder) hash() (string, error) {
	for ; f.at < len(f.files); f.at++ {
		in, err := f.dir.Open(f.files[f.at])
		if err != nil {
			return "", err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, in)
		if err = cmp.Or(err, in.Close()); err != nil {
			return "", err
		}
		f.sums = fmt.Appendf(f.sums, "%x  %s\n", sum.Sum(nil), f.files[f.at])
	}
	all := sha256.Sum256(f.sums)
	return hex.EncodeToString(all[:]), nil
}
