package tune

import (
	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
)

// mostKept is how many numbers of what frozen layers make are kept, 512 MB of
// them. What does not fit is computed again each time, to the same bits.
const mostKept = 128 << 20

// below keeps what the frozen layers make of texts.
type below struct {
	frozen bool // whether any layer is
	most   int
	kept   map[int]nn.Matrix // by text
	size   int               // of all of them
	batch  transformer.Batch
	x      nn.Matrix
}

// of returns what the frozen layers make of some texts; nothing if none is frozen.
func (b *below) of(p *nn.Pool, v *vectors, texts []int) nn.Matrix {
	if !b.frozen {
		return nn.Matrix{}
	}
	b.batch.Clear()
	total := 0
	var fresh []int
	for _, i := range texts {
		total += v.length(i)
		if _, ok := b.kept[i]; !ok {
			fresh = append(fresh, i)
			v.add(&b.batch, i)
		}
	}
	var made nn.Matrix
	if len(fresh) > 0 {
		made = v.encoder.Below(p, &b.batch)
	}
	b.x = b.x.Reshape(total, v.encoder.Width())
	at, next := 0, 0
	for _, i := range texts {
		x, ok := b.kept[i]
		if !ok {
			x = made.Slice(b.batch.Rows(next))
			next++
			b.keep(i, x)
		}
		copy(b.x.Slice(at, at+x.Rows).Data, x.Data)
		at += x.Rows
	}
	return b.x
}

// keep keeps a copy, if there is room.
func (b *below) keep(text int, x nn.Matrix) {
	if b.size+len(x.Data) > b.most {
		return
	}
	if b.kept == nil {
		b.kept = map[int]nn.Matrix{}
	}
	b.kept[text] = x.Clone()
	b.size += len(x.Data)
}
