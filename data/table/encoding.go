package table

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"sotto/internal/layout"
)

// The encodings, by the names that errors and notes use.
const (
	utf8Name    = "utf-8"
	utf16Little = "utf-16le"
	utf16Big    = "utf-16be"
	windows     = "windows-1252"
	latin1      = "latin-1"
)

// Encodings returns what [Options.Encoding] may name.
func Encodings() []string {
	return []string{utf8Name, "utf-16", utf16Little, utf16Big, windows, latin1}
}

// findEncoding returns the name of an encoding as we spell it, or "" for "".
func findEncoding(name string) (string, error) {
	plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	switch plain {
	case "":
		return "", nil
	case "utf8", "utf8sig", "ascii", "usascii":
		return utf8Name, nil
	case "utf16":
		return "utf-16", nil
	case "utf16le":
		return utf16Little, nil
	case "utf16be":
		return utf16Big, nil
	case "windows1252", "cp1252", "ansi":
		return windows, nil
	case "latin1", "iso88591", "iso885915":
		return latin1, nil
	}
	return "", fmt.Errorf("table: encoding is %.40q, must be one of %s%s", name, strings.Join(Encodings(), ", "), layout.Hint(name, Encodings()))
}

// decoder turns bytes into UTF-8. Where nobody has named the encoding, it is
// decided at the first byte that is not ASCII, however late that comes: up to
// there UTF-8 and Windows-1252 are the same.
type decoder struct {
	in    *bufio.Reader
	from  *input
	out   io.Reader // what the rest is read from, once decided
	name  string    // of the encoding; "" until it is decided
	given bool      // somebody has named it
}

// newDecoder looks for a mark, and for zeros that UTF-16 has beside ASCII.
func newDecoder(in *bufio.Reader, from *input, name string) (*decoder, error) {
	d := &decoder{in: in, from: from}
	name, err := findEncoding(name)
	if err != nil {
		return nil, err
	}
	d.given = name != ""
	head, err := from.peek(in, 1<<12)
	if err != nil {
		return nil, err
	}
	mark, skip := "", 0
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		mark, skip = utf8Name, 3
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")):
		return nil, errors.New("it is UTF-32, must be UTF-8 or UTF-16")
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		mark, skip = utf16Little, 2
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		mark, skip = utf16Big, 2
	}
	switch name {
	case "utf-16":
		name = cmp.Or(mark, zeros(head), utf16Little)
	case "":
		name = cmp.Or(mark, zeros(head))
	}
	if name == mark {
		in.Discard(skip) //nolint:errcheck // they are in the buffer
	}
	if name != "" {
		d.decide(name)
	}
	return d, nil
}

// zeros tells UTF-16 without a mark by where its zeros stand: western text has
// one in almost every pair of bytes, and always on the same side.
func zeros(head []byte) string {
	var n [2]int
	for i, c := range head {
		if c == 0 {
			n[i%2]++
		}
	}
	pairs := len(head) / 2
	switch {
	case pairs == 0:
		return ""
	case n[1]*10 > pairs*4 && n[0]*20 <= n[1]:
		return utf16Little
	case n[0]*10 > pairs*4 && n[1]*20 <= n[0]:
		return utf16Big
	}
	return ""
}

// decide takes an encoding for the rest.
func (d *decoder) decide(name string) {
	d.name = name
	var e encoding.Encoding
	switch name {
	case utf16Little:
		e = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case utf16Big:
		e = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case windows:
		e = charmap.Windows1252
	case latin1:
		e = charmap.ISO8859_1
	default:
		d.out = d.in
		return
	}
	d.out = e.NewDecoder().Reader(d.in)
}

// Read implements [io.Reader].
func (d *decoder) Read(b []byte) (int, error) {
	if d.out != nil {
		return d.out.Read(b)
	}
	if _, err := d.in.Peek(1); err != nil {
		return 0, err
	}
	ahead, _ := d.in.Peek(min(len(b), d.in.Buffered())) // it is there
	n := ascii(ahead)
	if n == 0 && len(b) > 0 {
		d.decide(d.guess(ahead[0]))
		return d.out.Read(b)
	}
	copy(b, ahead[:n])
	d.in.Discard(n) //nolint:errcheck // they are in the buffer
	return n, nil
}

// ascii returns how many bytes come before the first that is not ASCII.
func ascii(b []byte) int {
	i := 0
	for i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&0x8080808080808080 == 0 {
		i += 8
	}
	for i < len(b) && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// guess looks ahead from the first byte that is not ASCII.
func (d *decoder) guess(first byte) string {
	want := 1 << 15
	if d.from.live { // no further than the character at hand
		want = max(d.in.Buffered(), length(first))
	}
	ahead, _ := d.in.Peek(want) // what keeps it from seeing more, later reads will meet again
	return utf8OrWindows(ahead)
}

// length returns how many bytes a character of UTF-8 has that begins so.
func length(first byte) int {
	switch {
	case first >= 0xf0:
		return 4
	case first >= 0xe0:
		return 3
	}
	return 2
}

// utf8OrWindows tells damaged UTF-8, which has characters of several bytes
// nevertheless, from Windows-1252, which has hardly any by chance.
func utf8OrWindows(b []byte) string {
	whole, broken := 0, 0
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r != utf8.RuneError || n > 1:
			whole++
		case !utf8.FullRune(b[i:]): // cut off by the end of the sample
			if i+length(b[i]) > len(b) && whole > 0 {
				return utf8Name
			}
			broken++
		case bytes.IndexByte([]byte("\x81\x8d\x8f\x90\x9d"), b[i]) >= 0: // Windows-1252 has no such
			return utf8Name
		default:
			broken++
		}
		i += n
	}
	if broken > whole {
		return windows
	}
	return utf8Name
}

// found says what was decided about the encoding.
func (p *input) found() []string {
	switch {
	case p.dec == nil || p.dec.given:
	case p.dec.name == windows:
		return []string{"its bytes are not UTF-8, so they are taken for Windows-1252 (another encoding must be given)"}
	case p.dec.name == utf16Little || p.dec.name == utf16Big:
		return []string{"its encoding is " + strings.ToUpper(p.dec.name)}
	}
	return nil
}

// encoding names the encoding for notes.
func (r *Reader) encoding() string {
	if r.in == nil || r.in.dec == nil {
		return "UTF-8"
	}
	return strings.ToUpper(cmp.Or(r.in.dec.name, utf8Name))
}
