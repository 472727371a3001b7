package mech

// blockWords is how many codewords lie beside each other in a book.
const blockWords = 32

// book holds n codewords in blocks of 32, in each block coordinate by coordinate,
// so that 32 inner products are added up side by side. The last block has as many
// as are left.
type book struct {
	n, dim int
	words  []float32
}

func newBook(n, dim int) book { return book{n, dim, make([]float32, n*dim)} }

// at is where coordinate j of codeword i lies.
func (b book) at(i, j int) *float32 {
	first := i - i%blockWords
	return &b.words[first*b.dim+j*min(blockWords, b.n-first)+i-first]
}

// scores fills dst with the inner products of x and all codewords. Each sum is
// that of a loop over coordinates, in their order and rounded after every product
// and every sum, on every processor: which codewords are near decides a release.
func (b book) scores(dst, x []float32) {
	i := 0
	for ; i+blockWords <= b.n; i += blockWords {
		scoreBlock((*[blockWords]float32)(dst[i:]), b.words[i*b.dim:(i+blockWords)*b.dim], x[:b.dim])
	}
	scorePlain(dst[i:b.n], b.words[i*b.dim:], x[:b.dim])
}

// scorePlain fills dst with the inner products of x and a block of as many
// codewords.
func scorePlain(dst, block, x []float32) {
	clear(dst)
	for j, v := range x {
		for l, w := range block[j*len(dst) : (j+1)*len(dst)] {
			dst[l] += float32(v * w)
		}
	}
}
