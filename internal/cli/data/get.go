package data

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

	"github.com/spf13/cobra"

	"sotto/dataset"
	"sotto/internal/atomicfile"
	"sotto/internal/cli/term"
)

// dataGetOptions are the flags of "sotto data get".
type dataGetOptions struct {
	dataOptions
	mirror  string
	timeout time.Duration
}

func newDataGet(std term.Streams) *cobra.Command {
	var o dataGetOptions
	c := &cobra.Command{
		Use:   "get NAME",
		Short: "Download a data set from its public home",
		Long: `Download the files of a data set over HTTPS and keep those whose SHA-256 is
right. A file appears whole and verified or not at all; files that are there and
right are left alone. You accept the licence of the set, which "sotto data list"
shows. Where a set has no address from which it can be had directly, the command
says where to ask.

--mirror takes the files from your own server instead, under the paths that
"sotto data list --json" shows, uncompressed. It must speak HTTPS, unless it is
this machine.`,
		Example: `  sotto data get adult --dir ./data
  sotto data get celeba --mirror https://data.example.org/sotto`,
		ValidArgsFunction: completeData,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("want the name of one data set, got %d arguments; see sotto data list", len(args))
			}
			return runDataGet(c.Context(), o, args[0], std)
		},
	}
	o.addFlags(c.Flags())
	c.Flags().StringVar(&o.mirror, "mirror", "", "address of a server that holds the files of sets under their paths")
	c.Flags().DurationVar(&o.timeout, "timeout", 10*time.Minute, "longest time for one file")
	return c
}

// dataGot is what "sotto data get --json" prints.
type dataGot struct {
	Name    string    `json:"name"`
	Dir     string    `json:"dir"`
	Licence string    `json:"licence"`
	Files   []gotFile `json:"files"`
}

type gotFile struct {
	dataset.File
	Fetched bool `json:"fetched"` // false if it was there already
}

func runDataGet(ctx context.Context, o dataGetOptions, name string, std term.Streams) error {
	if o.timeout <= 0 {
		return fmt.Errorf("--timeout is %v, must be positive", o.timeout)
	}
	info, err := dataset.Find(name, o.folder())
	if err != nil {
		return err
	}
	checks, err := dataset.Verify(name, o.folder())
	if err != nil {
		return err
	}
	got := dataGot{Name: name, Dir: o.folder(), Licence: info.Licence, Files: []gotFile{}}
	for _, c := range checks {
		if c.State != dataset.Good {
			if err := o.get(ctx, info, c.File, std.Err); err != nil {
				return err
			}
		}
		got.Files = append(got.Files, gotFile{c.File, c.State != dataset.Good})
	}
	return o.reportGot(got, std.Out)
}

func (o *dataGetOptions) reportGot(got dataGot, out io.Writer) error {
	if o.json {
		return term.PrintJSON(out, got)
	}
	var b strings.Builder
	for _, f := range got.Files {
		what := "fetched and verified"
		if !f.Fetched {
			what = "was there and is right"
		}
		fmt.Fprintf(&b, "%s: %s\n", f.Path, what)
	}
	if len(got.Files) == 0 {
		fmt.Fprintf(&b, "%s is built in: there is nothing to get\n", got.Name)
	} else {
		fmt.Fprintf(&b, "%s is complete in %s; its licence: %s\n", got.Name, got.Dir, got.Licence)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// get fetches one file into its place.
func (o *dataGetOptions) get(ctx context.Context, info dataset.Info, f dataset.File, stderr io.Writer) error {
	address, err := o.address(info, f)
	if err != nil {
		return err
	}
	path := filepath.Join(o.folder(), filepath.FromSlash(f.Path))
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("%s cannot be made: %w; choose another folder with --dir or SOTTO_DATA", filepath.Dir(path), err)
	}
	out, err := atomicfile.Create(path)
	if err != nil {
		return fmt.Errorf("%w; choose another folder with --dir or SOTTO_DATA", err)
	}
	defer out.Abort()
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("%v have passed; allow more with --timeout", o.timeout))
	defer cancel()
	bar := term.NewProgress(stderr, f.Path)
	defer bar.Finish()
	err = download(ctx, address, f, io.MultiWriter(out, &meter{bar: bar, total: f.Size}))
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
func (o *dataGetOptions) address(info dataset.Info, f dataset.File) (string, error) {
	if o.mirror == "" && f.URL == "" {
		var paths []string
		for _, each := range info.Files {
			paths = append(paths, each.Path)
		}
		return "", fmt.Errorf("%s has no address from which it can be had directly: ask at %s (licence: %s), put %s below %s and run: sotto data verify %s",
			info.Name, info.Home, info.Licence, strings.Join(paths, " and "), o.folder(), info.Name)
	}
	address := f.URL
	if o.mirror != "" {
		address = strings.TrimRight(o.mirror, "/") + "/" + f.Path
	}
	u, err := url.Parse(address)
	if err != nil || !safe(u) {
		return "", fmt.Errorf("--mirror is %q, must be an https address", o.mirror)
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
func download(ctx context.Context, address string, f dataset.File, w io.Writer) error {
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

// meter shows how much was written.
type meter struct {
	bar         *term.Progress
	done, total int64
}

// Write implements [io.Writer].
func (m *meter) Write(p []byte) (int, error) {
	m.done += int64(len(p))
	m.bar.Set(m.done, m.total)
	return len(p), nil
}
