package encode

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"sotto/text"
	"sotto/text/encode/svec"
)

// Mapped encodes a text by word vectors in a file of package svec, which is
// mapped into memory. Words are those of [text.Words]; those without a vector
// are skipped, and no error or name shows them. [Open] makes it from the path
// of the file, which ends in .svec, and says after a question mark how the
// vectors of words become one:
//
//	pool=mean       the mean over known words; this is the default
//	pool=sif        the same with weights a/(a + p), a = 10⁻³, after Arora, Liang
//	                and Ma, ICLR 2017, without their step that takes away the
//	                common component, which depends on other texts. The
//	                probability p of a word is that of Zipf's law by its rank r
//	                among n words, 1/(r·(ln n + 0.5772)), so the file must be
//	                sorted by frequency.
//	pool=concat:N   the vectors of the first N known words, one behind the
//	                other, and zeros if there are fewer
type Mapped struct {
	file  *svec.File
	spec  string
	info  svec.Info
	sif   bool
	zipf  float64 // ln n + 0.5772
	words int     // of a concatenation; 0 otherwise
}

var _ Encoder = (*Mapped)(nil)

const (
	sifA         = 1e-3
	euler        = 0.57721566490153286
	maxMappedDim = 1 << 20
)

// mappedSpec splits the name of a mapped file from what is said of pooling.
func mappedSpec(spec string) (path, query string, ok bool) {
	if strings.HasSuffix(spec, ".svec") {
		return spec, "", true
	}
	i := strings.LastIndex(spec, ".svec?")
	if i < 0 {
		return "", "", false
	}
	return spec[:i+5], spec[i+6:], true
}

// openMapped opens a mapped file.
func openMapped(path, query string) (*Mapped, error) {
	options, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("encode: options of %s are %.60q, must be like pool=sif", path, query)
	}
	pool := "mean"
	for key, values := range options {
		if key != "pool" || len(values) != 1 {
			return nil, fmt.Errorf("encode: options of %s have %.20q %d times, must have pool once", path, key, len(values))
		}
		pool = values[0]
	}
	f, err := svec.Open(path)
	if err != nil {
		return nil, err
	}
	m := &Mapped{file: f, spec: path, info: f.Info()}
	m.zipf = math.Log(float64(m.info.Words)) + euler
	if err := m.setPool(pool); err != nil {
		return nil, err
	}
	return m, nil
}

// setPool takes the way in which vectors of words become one.
func (m *Mapped) setPool(pool string) error {
	count, concat := strings.CutPrefix(pool, "concat:")
	switch {
	case pool == "mean":
		return nil
	case pool == "sif" && !m.info.Sorted:
		return fmt.Errorf("encode: %s is not marked as sorted by frequency, must be for pool=sif: convert it again and say so", m.spec)
	case pool == "sif":
		m.sif = true
	case concat:
		n, err := strconv.Atoi(count)
		if most := maxMappedDim / m.info.Dim; err != nil || strconv.Itoa(n) != count || n < 1 || n > most {
			return fmt.Errorf("encode: pool of %s is %.30q, must be concat:N with N from 1 to %d", m.spec, pool, most)
		}
		m.words = n
	default:
		return fmt.Errorf("encode: pool of %s is %.30q, must be mean, sif or concat:N", m.spec, pool)
	}
	m.spec += "?pool=" + pool
	return nil
}

// File returns the file behind m.
func (m *Mapped) File() *svec.File { return m.file }

// Name implements [Source].
func (m *Mapped) Name() string { return m.spec }

// Dim implements [Source].
func (m *Mapped) Dim() int { return m.info.Dim * max(1, m.words) }

// scratch keeps buffers for texts in lower case.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// maxScratch is the size of a buffer above which it is not kept.
const maxScratch = 1 << 16

// Encode implements [Encoder]. It allocates nothing, unless the text is longer
// than those before it.
func (m *Mapped) Encode(dst []float32, s string) {
	checkLength(dst, m.Dim())
	clear(dst)
	buffer, _ := scratch.Get().(*[]byte)
	*buffer = appendLower((*buffer)[:0], s)
	// The words live no longer than the buffer is left alone, so that it need
	// not be copied to become a string.
	m.encode(dst, unsafe.String(unsafe.SliceData(*buffer), len(*buffer)))
	if cap(*buffer) <= maxScratch {
		clear(*buffer) // a text stays no longer than it is needed
		scratch.Put(buffer)
	}
}

// encode adds up the vectors of the words of low, a text in lower case.
func (m *Mapped) encode(dst []float32, low string) {
	var words [32]string // go to the file together, which is faster
	n, known := 0, 0
	for word := range text.Words(low) {
		words[n] = word
		if n++; n == len(words) {
			known += m.add(dst, words[:n], known)
			n = 0
			if m.words > 0 && known >= m.words {
				break
			}
		}
	}
	known += m.add(dst, words[:n], known)
	finite := float32(0)
	divide := known > 1 && m.words == 0
	for i, x := range dst {
		if divide {
			x /= float32(known)
			dst[i] = x
		}
		finite += x - x
	}
	if finite != 0 { // NaN too: the file is damaged
		clear(dst)
	}
}

// add adds the vectors of at most 32 words, before which so many were known, and
// returns how many of them are.
func (m *Mapped) add(dst []float32, words []string, known int) int {
	var found [32]int
	m.file.FindAll(found[:len(words)], words)
	rows := found[:0]
	var weights [32]float32
	for _, row := range found[:len(words)] {
		if row < 0 {
			continue
		}
		weights[len(rows)] = 1
		if m.sif {
			weights[len(rows)] = float32(sifA / (sifA + 1/(float64(row+1)*m.zipf)))
		}
		rows = append(rows, row)
	}
	if m.words == 0 {
		m.file.AddAll(dst, rows, weights[:len(rows)])
		return len(rows)
	}
	rows = rows[:max(0, min(len(rows), m.words-known))]
	for i := range rows {
		m.file.AddAll(dst[(known+i)*m.info.Dim:][:m.info.Dim], rows[i:i+1], weights[i:i+1])
	}
	return len(rows)
}

// appendLower appends s to dst as [text.Words] would see it: in lower case,
// apostrophes straight, and with a symbol for bytes that are not UTF-8.
func appendLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == '’' {
			r = '\''
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}
