package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// sniffed is how many records decide about a delimiter.
const sniffed = 200

// findDelimiter returns the delimiter under which the first records have the same
// number of fields, more than one. Of several it is the one with the most records
// that agree, then the one with the most fields, then the first; it is a comma if
// none fits.
func findDelimiter(sample []byte, whole bool) rune {
	best, share, fields := ',', 0., 0
	for _, d := range ",;\t|" {
		s, n := agreement(cut(sample, whole), d)
		if n > 1 && (s > share || (s == share && n > fields)) {
			best, share, fields = d, s, n
		}
	}
	// Commas in texts of a single column are not the same in each: where not
	// even half of the records agree, there is no delimiter.
	if share < .5 {
		return ','
	}
	return best
}

// agreement returns the share of records that have as many fields as the first,
// and that number, with 0 where quotes do not fit.
func agreement(sample []byte, d rune) (share float64, fields int) {
	in := csv.NewReader(bytes.NewReader(sample))
	in.Comma, in.FieldsPerRecord, in.ReuseRecord, in.LazyQuotes = d, -1, true, d == '\t'
	records, same := 0, 0
	for ; records < sniffed; records++ {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && fields == 0 {
			fields = len(record)
		}
		if err == nil && len(record) == fields {
			same++
		}
	}
	if records == 0 {
		return 0, 0
	}
	return float64(same) / float64(records), fields
}

// cut leaves out the last line of a sample that ends within it.
func cut(sample []byte, whole bool) []byte {
	if end := bytes.LastIndexByte(sample, '\n'); !whole && end >= 0 {
		return sample[:end+1]
	}
	return sample
}

// quoted reports whether a tab separated file quotes fields: some field stands
// between quotes, and each that begins with one ends so in the same line or is
// closed in a later one. Many such files quote nothing, and then a text that
// begins with a quote must not swallow what follows.
func quoted(sample []byte, whole bool) bool {
	closed := false
	for line := range bytes.Lines(cut(sample, whole)) {
		for field := range bytes.SplitSeq(bytes.TrimRight(line, "\r\n"), []byte("\t")) {
			if len(field) == 0 || field[0] != '"' {
				continue
			}
			if len(field) < 2 || field[len(field)-1] != '"' || bytes.Contains(bytes.ReplaceAll(field[1:len(field)-1], []byte(`""`), nil), []byte(`"`)) {
				return parses(cut(sample, whole))
			}
			closed = true
		}
	}
	return closed
}

// parses reports whether a sample is tab separated with quotes throughout, and as
// many fields in each record.
func parses(sample []byte) bool {
	in := csv.NewReader(bytes.NewReader(sample))
	in.Comma, in.ReuseRecord = '\t', true
	for {
		if _, err := in.Read(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// delimiterName renders a delimiter for a note.
func delimiterName(d rune) string {
	switch d {
	case ';':
		return "a semicolon"
	case '\t':
		return "a tab"
	case '|':
		return "a vertical bar"
	}
	return fmt.Sprintf("%q", d)
}

// delimiterFlag renders a delimiter as a flag takes it.
func delimiterFlag(d rune) string {
	switch d {
	case ';':
		return "semicolon"
	case '\t':
		return "tab"
	case '|':
		return "pipe"
	}
	return string(d)
}

// ParseDelimiter returns the delimiter that a name stands for: a single
// character, tab or \t, comma, semicolon or pipe. "" stands for none, which means
// that it is to be found.
func ParseDelimiter(name string) (rune, error) {
	switch strings.ToLower(name) {
	case "":
		return 0, nil
	case "tab", `\t`:
		return '\t', nil
	case "comma":
		return ',', nil
	case "semicolon":
		return ';', nil
	case "pipe", "bar":
		return '|', nil
	case "space":
		return ' ', nil
	}
	if d := []rune(name); len(d) == 1 {
		return d[0], Options{Delimiter: d[0]}.Validate()
	}
	return 0, fmt.Errorf("table: delimiter is %.40q, must be one character, or tab", name)
}

// ParseOptions returns the options that names stand for, as flags and settings
// give them; empty ones are to be found.
func ParseOptions(format, delimiter, encoding string, noHeader bool) (Options, error) {
	o := Options{Encoding: encoding, NoHeader: noHeader}
	var err error
	if format != "" {
		if o.Format, err = ParseFormat(format); err != nil {
			return o, err
		}
	}
	if o.Delimiter, err = ParseDelimiter(delimiter); err != nil {
		return o, err
	}
	return o, o.Validate()
}
