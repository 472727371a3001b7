package influence

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sotto/compute/nn"
	"sotto/internal/safetensors"
)

// lessons are what a student learns from: parts in contexts, with the representation
// of the whole. Contexts and parts are rows that several lessons share.
type lessons struct {
	context nn.Matrix // as read
	without nn.Matrix // representations of contexts
	part    nn.Matrix // as read
	whole   nn.Matrix // representations

	of []lesson
}

// lesson is one part in one context: rows of the matrices.
type lesson struct{ context, part, whole int }

// plan is what is to be read for lessons.
type plan struct {
	places []TeacherPlace
	parts  []string
	wholes []string
	of     []lesson
}

// drawn chooses what to learn from.
func drawn(d *Data, v Vocabulary, s Settings) *plan {
	p, parts := &plan{}, map[string]int{}
	part := func(w string) int {
		i, ok := parts[w]
		if !ok {
			i = len(p.parts)
			parts[w], p.parts = i, append(p.parts, w)
		}
		return i
	}
	rng := seeded(s.Seed, "lessons")
	for _, row := range d.Train {
		whole := len(p.wholes)
		p.wholes = append(p.wholes, d.Texts[row])
		words := d.places(row)
		order := rng.Perm(len(words))
		order = order[:min(len(order), max(0, s.Words))]
		swaps := s.Swaps
		for _, i := range order {
			at := len(p.places)
			p.places = append(p.places, words[i])
			p.of = append(p.of, lesson{at, part(words[i].Part()), whole})
			others := v[d.Words[row][i].POS]
			if swaps <= 0 || len(others) < 2 {
				continue
			}
			swaps--
			other := others[rng.IntN(len(others))]
			p.of = append(p.of, lesson{at, part(other), len(p.wholes)})
			p.wholes = append(p.wholes, words[i].With(other))
		}
		phrases := slices.Clone(d.Phrases[row])
		rng.Shuffle(len(phrases), func(i, j int) { phrases[i], phrases[j] = phrases[j], phrases[i] })
		left := s.Phrases
		for _, span := range phrases {
			if left <= 0 || span.End-span.Start > longest {
				continue
			}
			left--
			place := TeacherPlace{Text: d.Texts[row], Span: span}
			p.of = append(p.of, lesson{len(p.places), part(place.Part()), whole})
			p.places = append(p.places, place)
		}
	}
	return p
}

// readPlan reads what is planned.
func readPlan(ctx context.Context, t *Teacher, p *plan, o Options, keep *kept) (*lessons, error) {
	l := &lessons{of: p.of}
	total, done := len(p.places)+len(p.parts)+len(p.wholes), 0
	tell := func(n int) { o.tell("reading what to learn from", done+n, total) }
	read, err := keep.get(ctx, "contexts", len(p.places), tell, func(lo, hi int) ([]nn.Matrix, error) {
		x, r, err := t.Contexts(ctx, p.places[lo:hi], o.Workers)
		return []nn.Matrix{x, r}, err
	})
	if err != nil {
		return nil, err
	}
	if l.without, err = t.Represented(read[0]); err != nil {
		return nil, err
	}
	l.context, done = read[1], done+len(p.places)
	if read, err = keep.get(ctx, "parts", len(p.parts), tell, func(lo, hi int) ([]nn.Matrix, error) {
		r, failed := t.Words(ctx, p.parts[lo:hi], o.Workers)
		return []nn.Matrix{r}, failed
	}); err != nil {
		return nil, err
	}
	l.part, done = read[0], done+len(p.parts)
	if read, err = keep.get(ctx, "wholes", len(p.wholes), tell, func(lo, hi int) ([]nn.Matrix, error) {
		x, failed := t.Vectors(ctx, p.wholes[lo:hi], o.Workers)
		return []nn.Matrix{x}, failed
	}); err != nil {
		return nil, err
	}
	l.whole, err = t.Represented(read[0])
	return l, err
}

// kept computes matrices block by block, and keeps blocks in a folder if it has one, so
// that what was computed once is there after an interruption.
type kept struct {
	dir string // "" keeps nothing
	key string // of what decides everything; a file with another is computed again
}

// blockRows is how many rows are computed at a time.
const blockRows = 4096

// get returns matrices with so many rows, of which compute gives some.
func (k *kept) get(ctx context.Context, name string, rows int, tell func(done int), compute func(lo, hi int) ([]nn.Matrix, error)) ([]nn.Matrix, error) {
	var all []nn.Matrix
	for lo := 0; lo < rows || lo == 0; lo += blockRows {
		hi := min(rows, lo+blockRows)
		block, err := k.block(fmt.Sprintf("%s-%d", name, lo/blockRows), func() ([]nn.Matrix, error) { return compute(lo, hi) })
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if all == nil {
			for _, b := range block {
				all = append(all, nn.NewMatrix(rows, b.Cols))
			}
		}
		for i, b := range block {
			if b.Rows != hi-lo || b.Cols != all[i].Cols {
				return nil, fmt.Errorf("influence: %s has a block of %d×%d numbers, must have %d×%d", name, b.Rows, b.Cols, hi-lo, all[i].Cols)
			}
			copy(all[i].Data[lo*b.Cols:], b.Data)
		}
		tell(hi)
	}
	return all, nil
}

// block returns what is kept under a name, or computes and keeps it.
func (k *kept) block(name string, compute func() ([]nn.Matrix, error)) ([]nn.Matrix, error) {
	if k.dir == "" {
		return compute()
	}
	path := filepath.Join(k.dir, name+".safetensors")
	if f, err := safetensors.Read(path); err == nil && f.Metadata["key"] == k.key {
		if found := matrices(f); found != nil {
			return found, nil
		}
	}
	found, err := compute()
	if err != nil {
		return nil, err
	}
	f := &safetensors.File{Metadata: map[string]string{"key": k.key}}
	for i, m := range found {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: fmt.Sprint(i), Shape: []int{m.Rows, m.Cols}, Data: m.Data})
	}
	f.Metadata["digest"] = f.Digest([]byte(k.key))
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return nil, err
	}
	return found, safetensors.WritePrivate(path, f)
}

// matrices returns those of a file; nil if it is not as it was written.
func matrices(f *safetensors.File) []nn.Matrix {
	if f.Metadata["digest"] != f.Digest([]byte(f.Metadata["key"])) {
		return nil
	}
	var all []nn.Matrix
	for i := range f.Tensors {
		t, ok := f.Tensor(fmt.Sprint(i))
		if !ok || len(t.Shape) != 2 {
			return nil
		}
		all = append(all, nn.Matrix{Rows: t.Shape[0], Cols: t.Shape[1], Data: t.Data})
	}
	return all
}
