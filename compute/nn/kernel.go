package nn

// kernels are the inner loops that are worth writing for a machine.
type kernels struct {
	name   string
	mr, nr int // size of a tile of a product; both are even

	// tile computes a tile of a product, of mr rows and nr columns if slim is
	// nil, and otherwise of at most that.
	tile func(t *tile)
	// fours says that tile reads the lanes of a by fours, no more of them than
	// the rows need.
	fours bool
	// slim computes a tile of at most nr/2 columns.
	slim func(t *tile)
	// pair multiplies sixteen rows by two columns. Where there is one, it and
	// blend give the bits of tile, so that either may compute a product.
	pair func(dst []float32, m pair)
	// spread copies rows of src, cut into pieces, to panels of dst.
	spread func(dst, src []float32, s spread)
	// weave fills a panel of the given width, which is even, from lanes that lie
	// step apart: number k of lane l goes from src[l*step+k] to dst[k*width+l], for
	// k below n.
	weave func(dst, src []float32, width, step, n int)
	vectors
}

// tile is a part of a product: c = a·b + add. The names of the fields are known
// to the assembly.
type tile struct {
	k           int       // the inner dimension, positive
	a           []float32 // mr lanes: number l of lane i is at a[i*lane+l*depth]
	lane, depth int
	b           []float32 // a packed panel, k·nr numbers
	c           []float32 // rows are stride apart
	stride      int
	add         []float32 // may be nil or c; rows are addStride apart
	addStride   int
	rows, cols  int // of c
}

// pair is the first k numbers, a positive multiple of 4, of sixteen rows of a,
// stride apart, times two columns, whose numbers are step apart: the products of
// row i go to dst[i] and dst[gap+i].
type pair struct {
	k            int
	a            []float32
	columns      [2][]float32
	stride, step int
	gap          int
}

// spread says how a row is cut into pieces of width numbers, width being mr or
// nr: piece i of row k goes from src[k*stride+i*width] to dst[i*step+k*width].
type spread struct{ depth, panels, width, step, stride int }

// portable works on every machine.
var portable = kernels{
	name: "portable", mr: 4, nr: 4,
	tile: tileGo, spread: spreadGo, weave: weaveGo,
	vectors: vectorsGo,
}

// tileGo keeps a 4×4 tile in variables.
func tileGo(t *tile) {
	var c0, c1, c2, c3 [4]float32
	a, b, l := t.a, t.b[:4*t.k], t.lane
	for at := 0; len(b) >= 4; at += t.depth {
		b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
		x := a[at]
		c0[0], c0[1], c0[2], c0[3] = c0[0]+float32(x*b0), c0[1]+float32(x*b1), c0[2]+float32(x*b2), c0[3]+float32(x*b3)
		x = a[at+l]
		c1[0], c1[1], c1[2], c1[3] = c1[0]+float32(x*b0), c1[1]+float32(x*b1), c1[2]+float32(x*b2), c1[3]+float32(x*b3)
		x = a[at+2*l]
		c2[0], c2[1], c2[2], c2[3] = c2[0]+float32(x*b0), c2[1]+float32(x*b1), c2[2]+float32(x*b2), c2[3]+float32(x*b3)
		x = a[at+3*l]
		c3[0], c3[1], c3[2], c3[3] = c3[0]+float32(x*b0), c3[1]+float32(x*b1), c3[2]+float32(x*b2), c3[3]+float32(x*b3)
		b = b[4:]
	}
	for i, row := range [4][4]float32{c0, c1, c2, c3} {
		to := t.c[i*t.stride:][:4]
		for j, v := range row {
			if t.add != nil {
				v += t.add[i*t.addStride+j]
			}
			to[j] = v
		}
	}
}

func spreadGo(dst, src []float32, s spread) {
	for k := range s.depth {
		from := src[k*s.stride:]
		for i := range s.panels {
			copy(dst[i*s.step+k*s.width:][:s.width], from[i*s.width:])
		}
	}
}

// weaveGo packs two lanes at a time.
func weaveGo(dst, src []float32, width, step, n int) {
	for l := 0; l < width; l += 2 {
		a, b := src[l*step:][:n], src[(l+1)*step:][:n]
		to := dst[l:]
		for k, v := range a {
			to[k*width], to[k*width+1] = v, b[k]
		}
	}
}
