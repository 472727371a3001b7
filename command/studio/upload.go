package studio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// mostHeld is how many of the largest files may be dropped, one after the other.
const mostHeld = 4

// upload handles "POST upload": the body is a file, which goes to the private
// folder piece by piece, and is looked at there.
func (s *Studio) upload(w http.ResponseWriter, r *http.Request) error {
	if s.desk.held() >= mostHeld*s.MaxUpload {
		return &Problem{http.StatusInsufficientStorage, "too much has been dropped already: end the studio and start it again, which removes all of it"}
	}
	dir, err := s.folder("files")
	if err != nil {
		return err
	}
	src := source{name: shortName(r.URL.Query().Get("name"))}
	src.path = filepath.Join(dir, src.name)
	if src.size, err = s.receive(w, r, src.path); err == nil {
		src = s.desk.add(src)
		err = s.inspect(w, r, src)
	}
	if err != nil {
		return errors.Join(err, s.desk.drop(src))
	}
	return nil
}

// receive writes a body to a file.
func (s *Studio) receive(w http.ResponseWriter, r *http.Request, path string) (n int64, err error) {
	large := &Problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("the file is larger than %d MiB: sotto studio --max-upload allows more, and --in opens a file where it lies", s.MaxUpload>>20)}
	if r.ContentLength > s.MaxUpload {
		return 0, large
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // in a folder of our own, under a name without separators
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(f, patient{r.Context(), http.MaxBytesReader(w, r.Body, s.MaxUpload)})
	err = errors.Join(err, f.Close())
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return n, large
	case n == 0 && err == nil:
		return 0, &Problem{http.StatusUnprocessableEntity, "the file is empty"}
	}
	return n, err
}

// patient reads until a context ends.
type patient struct {
	ctx context.Context
	in  io.Reader
}

func (p patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.in.Read(b)
}

// drop forgets a copy and removes it.
func (d *desk) drop(s source) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sources, s.id)
	return os.RemoveAll(filepath.Dir(s.path))
}

// shortName makes of what a browser says a file is called a name without folders
// that harms no terminal and begins no flag.
func shortName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || strings.ContainsRune(`<>:"|?*`, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	name = strings.TrimLeft(name, "-. ")
	const most = 100
	if runes := []rune(name); len(runes) > most {
		name = string(runes[len(runes)-most:]) // with how it ends, which tells the format
	}
	if name == "" {
		return "file.csv"
	}
	return name
}

// offer makes a file of the person's the first that the page shows. It is not
// copied.
func (s *Studio) offer(path string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(full)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = fmt.Errorf("%s is no regular file, must be one or a folder", path)
	}
	if err != nil {
		return fmt.Errorf("studio: %w", err)
	}
	s.desk.first = s.desk.add(source{name: path, path: full}).id
	return nil
}

// folder makes a new folder in the private one.
func (s *Studio) folder(name string) (string, error) {
	parent := filepath.Join(s.dir, name)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "")
}
