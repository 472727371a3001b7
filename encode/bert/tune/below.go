package tune

import (
	"sotto/nn"
	"sotto/nn/transformer"
)

// mostKept is how many numbers of what frozen layers make are kept, 512 MB of
// them. What does not fit is computed again each time, to the same bits.
const mostKept = 128 << 20

// below keeps what the frozen layers make of texts.
type below struct {
	most  int
	kept  map[int]nn.Matrix // by text
	size  int               // of all of them
	batch transformer.Batch
	x     nn.Matrix
}

// of returns what the frozen layers make of some texts; nothing if none is frozen.
func (b *below) of(t *Trainer, rows []int) nn.Matrix {
	if t.settings.Layers == 0 {
		return nn.Matrix{}
	}
	b.batch.Clear()
	total := 0
	var fresh []int
	for _, row := range rows {
		total += len(t.tokens[row].IDs)
		if _, ok := b.kept[row]; !ok {
			fresh = append(fresh, row)
			b.batch.Add(t.tokens[row].IDs, t.tokens[row].Types)
		}
	}
	var made nn.Matrix
	if len(fresh) > 0 {
		made = t.encoder.Below(t.pool, &b.batch)
	}
	b.x = b.x.Reshape(total, t.encoder.Width())
	at, next := 0, 0
	for _, row := range rows {
		x, ok := b.kept[row]
		if !ok {
			x = made.Slice(b.batch.Starts[next], b.batch.Starts[next+1])
			next++
			b.keep(row, x)
		}
		copy(b.x.Slice(at, at+x.Rows).Data, x.Data)
		at += x.Rows
	}
	return b.x
}

// keep keeps a copy, if there is room.
func (b *below) keep(row int, x nn.Matrix) {
	if b.size+len(x.Data) > b.most {
		return
	}
	if b.kept == nil {
		b.kept = map[int]nn.Matrix{}
	}
	b.kept[row] = x.Clone()
	b.size += len(x.Data)
}
