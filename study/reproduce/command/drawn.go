package reproduce

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/evidence/page"
	"sotto/internal/version"
	"sotto/study/reproduce"
)

// drawn are the flags of results with pages and charts.
type drawn struct {
	html, markdown, svg string
}

func (d *drawn) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&d.html, "html", "", "also write a page with a chart for each task to this file")
	fs.StringVar(&d.markdown, "markdown", "", "file to which the tables are also written as Markdown")
	fs.StringVar(&d.svg, "svg", "", "also write each chart as a picture into this folder")
}

// paths are what will be written.
func (d *drawn) paths() []term.NamedPath {
	return []term.NamedPath{term.Named("--html", d.html), term.Named("--markdown", d.markdown), term.Named("--svg", d.svg)}
}

// write writes a page of a table and its charts, each under its name, wherever it was
// asked for.
func (d *drawn) write(table string, p page.Page, charts map[string]*page.Chart, std term.Streams) error {
	if d.svg != "" {
		if err := os.MkdirAll(d.svg, 0o755); err != nil { //nolint:gosec // pictures are meant to be read by others
			return err
		}
		for name, c := range charts {
			if err := term.WriteWhole(filepath.Join(d.svg, name+".svg"), nil, func(w io.Writer) error { return page.SVG(w, c) }); err != nil {
				return err
			}
		}
	}
	p.Made = "Made by sotto reproduce " + table + ", version " + version.Short() + "."
	for _, file := range []struct {
		path  string
		write func(io.Writer, page.Page) error
	}{{d.html, page.HTML}, {d.markdown, page.Markdown}} {
		if file.path == "" {
			continue
		}
		if err := term.WriteWhole(file.path, std.Out, func(w io.Writer) error { return file.write(w, p) }); err != nil {
			return err
		}
	}
	return nil
}

// storeOf returns the folder of what a table keeps: the given one, or one of that name
// among results.
func storeOf(given, name string) (string, error) {
	if given != "" {
		return given, nil
	}
	dir, err := reproduce.CacheDir()
	return filepath.Join(dir, name), err
}
