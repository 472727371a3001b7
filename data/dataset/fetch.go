package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sotto/internal/atomicfile"
)

// This part of the package downloads the files of data sets from their public homes or a
// mirror, and keeps those whose SHA-256 is right.
//
//	got, err := Fetch(ctx, "adult", FetchOptions{Dir: dataset.Dir(), Timeout: time.Minute})

// FetchOptions say from where to where, and how long it may take.
type FetchOptions struct {
	Dir     string        // folder of data sets
	Mirror  string        // address of a server that holds the files under their paths; "" for their public homes
	Timeout time.Duration // of one file, positive

	// Progress is told how many bytes of a file there are so far; it may be nil.
	Progress func(path string, done, total int64)
}

// Fetched is what there is after a [Get].
type Fetched struct {
	Name    string        `json:"name"`
	Dir     string        `json:"dir"`
	Licence string        `json:"licence"`
	Files   []FetchedFile `json:"files"` // none if the set is built in
}

// FetchedFile is a file of a data set that is there and right.
type FetchedFile struct {
	File
	Fetched bool `json:"fetched"` // false if it was there already
}

// Fetch fetches the files of a data set that are absent or wrong. Each appears
// whole and verified or not at all.
func Fetch(ctx context.Context, name string, o FetchOptions) (*Fetched, error) {
	if o.Timeout <= 0 {
		return nil, fmt.Errorf("fetch: timeout is %v, must be positive", o.Timeout)
	}
	info, err := Find(name, o.Dir)
	if err != nil {
		return nil, err
	}
	checks, err := Verify(name, o.Dir)
	if err != nil {
		return nil, err
	}
	got := &Fetched{Name: name, Dir: o.Dir, Licence: info.Licence, Files: []FetchedFile{}}
	for _, c := range checks {
		if c.State != Good {
			if err := o.get(ctx, info, c.File); err != nil {
				return nil, err
			}
		}
		got.Files = append(got.Files, FetchedFile{c.File, c.State != Good})
	}
	return got, nil
}

// get fetches one file into its place.
func (o FetchOptions) get(ctx context.Context, info Info, f File) error {
	address, err := o.address(info, f)
	if err != nil {
		return err
	}
	path := filepath.Join(o.Dir, filepath.FromSlash(f.Path))
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("%s cannot be made: %w; choose another folder of data sets", filepath.Dir(path), err)
	}
	out, err := atomicfile.Create(path)
	if err != nil {
		return fmt.Errorf("%w; choose another folder of data sets", err)
	}
	defer out.Abort()
	out.Shared()
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("%v have passed; allow more time", o.Timeout))
	defer cancel()
	err = download(ctx, address, f, io.MultiWriter(out, &meter{o.Progress, f, 0}))
	switch {
	case err == nil:
		return out.Commit()
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		err = context.Cause(ctx)
	}
	return fmt.Errorf("%s cannot be had from %s: %w; nothing was written. If this machine is offline, fetch it elsewhere, put it at %s and run: sotto data verify %s", f.Path, address, err, path, info.Name)
}

// address returns where a file is fetched from.
func (o FetchOptions) address(info Info, f File) (string, error) {
	if o.Mirror == "" && f.URL == "" {
		paths := make([]string, len(info.Files))
		for i, each := range info.Files {
			paths[i] = each.Path
		}
		return "", fmt.Errorf("%s has no address from which it can be had directly: ask at %s (licence: %s), put %s below %s and run: sotto data verify %s",
			info.Name, info.Home, info.Licence, strings.Join(paths, " and "), o.Dir, info.Name)
	}
	address := f.URL
	if o.Mirror != "" {
		address = strings.TrimRight(o.Mirror, "/") + "/" + f.Path
	}
	u, err := url.Parse(address)
	if err != nil || !safe(u) {
		return "", fmt.Errorf("fetch: mirror is %q, must be an https address", o.Mirror)
	}
	return address, nil
}

// safe reports whether nobody on the way can change what an address sends. The
// checksum would find it, but would not keep what was asked for secret.
func safe(u *url.URL) bool {
	local := u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
	return u.Host != "" && (u.Scheme == "https" || (u.Scheme == "http" && local))
}

// download copies the file at an address to w, and fails unless it has the size
// and the SHA-256 of f. It reads at most one byte more than that size.
func download(ctx context.Context, address string, f File, w io.Writer) error {
	client := &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: time.Minute, TLSHandshakeTimeout: 30 * time.Second},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if !safe(r.URL) || len(via) > 5 {
				return errors.New("it redirects away from https, or too often")
			}
			return nil
		},
	}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "sotto")
	response, err := client.Do(request)
	if err != nil {
		return errors.Unwrap(err) // it repeats the address
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", response.Status)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(response.Body, f.Size+1))
	if err != nil {
		return err
	}
	if n != f.Size {
		return fmt.Errorf("it holds %s bytes, must hold %d", atLeast(n, f.Size), f.Size)
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != f.SHA256 {
		return fmt.Errorf("its SHA-256 is %s, must be %s", sum, f.SHA256)
	}
	return nil
}

// atLeast renders a size where reading stopped above the limit.
func atLeast(n, limit int64) string {
	if n > limit {
		return fmt.Sprintf("more than %d", limit)
	}
	return fmt.Sprint(n)
}

// meter tells how much was written.
type meter struct {
	tell func(path string, done, total int64)
	file File
	done int64
}

// Write implements [io.Writer].
func (m *meter) Write(p []byte) (int, error) {
	m.done += int64(len(p))
	if m.tell != nil {
		m.tell(m.file.Path, m.done, m.file.Size)
	}
	return len(p), nil
}
