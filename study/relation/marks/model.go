package marks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"sotto/compute/nn"
	"sotto/internal/regular"
	"sotto/internal/safetensors"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/rule"
	"sotto/text"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// headFile is the file of what stands behind the transformer and of what it is about, and
// aboutKey where in it the latter stands.
const (
	headFile = "relations.safetensors"
	aboutKey = "relations"
	mostHead = 1 << 28 // bytes of that file
)

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

var _ relation.Quicker = (*Model)(nil)

// Model tells relations and writes rules. It is safe for concurrent use.
type Model struct {
	Workers int // 0 means 1; what it says does not depend on it

	model  *bert.Model
	marker *marker
	about  knowledge
	rules  *rule.File // nil without
	gate   *relation.Gate
	kept   *safetensors.File
	spare  sync.Pool // networks that nobody uses now, each with buffers of its own
}

// Is reports whether a folder says that it is one of a model of this package.
func Is(dir string) bool {
	info, err := bert.ReadManifest(dir)
	return err == nil && info != nil && info.HeadFile == headFile
}

// Open opens the folder of a model, which is checked against its manifest.
func Open(dir string) (*Model, error) {
	info, err := bert.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if info == nil || info.HeadFile != headFile {
		return nil, fmt.Errorf("marks: %s is no model of relations, must be a folder that was trained to tell relations", dir)
	}
	m := &Model{}
	if m.model, err = bert.Open(dir, bert.Options{}); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, headFile)
	content, err := regular.Read(path, mostHead)
	if err != nil {
		return nil, fmt.Errorf("marks: %w", err)
	}
	if err = tune.CheckHead(info, content); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err = m.read(content); err != nil {
		return nil, fmt.Errorf("marks: %s: %w", path, err)
	}
	m.marker, err = newMarker(m.model.WordPiece(), m.about.Types, m.model.Limit())
	return m, err
}

// read takes the layers and what they are about from their file.
func (m *Model) read(content []byte) (err error) {
	if m.kept, err = safetensors.Decode(content); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader([]byte(m.kept.Metadata[aboutKey])))
	d.DisallowUnknownFields()
	if err = d.Decode(&m.about); err != nil {
		return errors.New("what it says of relations is no JSON as it is written")
	}
	if len(m.about.Relations) < 2 || !slices.IsSorted(m.about.Relations) || !slices.Contains(m.about.Types, "") {
		return errors.New("its relations and types are not as they are written, in order and with the empty type")
	}
	if m.rules, err = rule.Parse(strings.NewReader(m.about.Rules)); err != nil {
		return err
	}
	if m.gate, err = relation.NewGate(m.rules); err != nil {
		return err
	}
	n, err := m.network() // and its tensors fit
	if err == nil {
		m.spare.Put(n)
	}
	return err
}

// network returns one with the weights of the model and buffers of its own.
func (m *Model) network() (*network, error) {
	if n, ok := m.spare.Get().(*network); ok {
		return n, nil
	}
	n, err := newNetwork(m.model.Dim(), m.about, 0, 0)
	if err != nil {
		return nil, err
	}
	params := n.params()
	if len(m.kept.Tensors) != len(params) {
		return nil, fmt.Errorf("it holds %d tensors, must hold %d", len(m.kept.Tensors), len(params))
	}
	for _, q := range params {
		x, ok := m.kept.Tensor(q.Name)
		if !ok || !slices.Equal(x.Shape, []int{q.Value.Rows, q.Value.Cols}) {
			return nil, fmt.Errorf("its %s is missing or of another size, must be %d×%d", q.Name, q.Value.Rows, q.Value.Cols)
		}
		copy(q.Value.Data, x.Data)
	}
	return n, nil
}

// Relations lists those that it knows.
func (m *Model) Relations() []string {
	return slices.DeleteFunc(slices.Clone(m.about.Relations), func(r string) bool { return r == relation.None })
}

// String says in words what it is.
func (m *Model) String() string {
	text := "a transformer with marks around arguments"
	if len(m.about.Pieces) == 0 {
		text += ", without decoder"
	}
	return text
}

// Rules returns the rules that it learnt to write, the best first.
func (m *Model) Rules() *rule.File { return m.rules }

// Data returns the name of the data that it was trained on.
func (m *Model) Data() string { return m.about.Data }

// Knows implements [relation.Model]: it knows pairs of types that had a relation in what it
// learnt from.
func (m *Model) Knows(subject, object language.Type) bool {
	return slices.Contains(m.about.Pairs, [2]string{string(subject), string(object)})
}

// together is how many instances are looked at at once.
const together = 256

// Judge implements [relation.Model]. What it says does not depend on which instances come
// together.
func (m *Model) Judge(ctx context.Context, all []relation.Instance) ([]relation.Verdict, error) {
	return m.judge(ctx, all, false)
}

// Quick implements [relation.Quicker].
func (m *Model) Quick() relation.Model { return quick{m} }

type quick struct{ *Model }

func (q quick) Judge(ctx context.Context, all []relation.Instance) ([]relation.Verdict, error) {
	return q.judge(ctx, all, true)
}

func (m *Model) judge(ctx context.Context, all []relation.Instance, quick bool) ([]relation.Verdict, error) {
	n, err := m.network()
	if err != nil {
		return nil, err
	}
	defer m.spare.Put(n)
	p := nn.NewPool(max(m.Workers, 1))
	var told []relation.Verdict
	for some := range slices.Chunk(all, together) {
		said, err := m.tell(ctx, p, n, some, quick)
		if err != nil {
			return nil, err
		}
		told = append(told, said...)
	}
	return told, nil
}

// tell is Judge for some.
func (m *Model) tell(ctx context.Context, p *nn.Pool, n *network, all []relation.Instance, quick bool) ([]relation.Verdict, error) {
	h := &head{network: n}
	var tokens []text.Tokens
	var places [][]int
	for _, x := range all {
		read, err := read(x, m.about.Typed)
		if err != nil {
			return nil, err
		}
		t, marks := m.marker.sequence(read)
		tokens, places = append(tokens, t), append(places, h.look(len(t.IDs), marks))
	}
	rows, err := m.model.EncodePlaces(ctx, tokens, places, max(m.Workers, 1))
	if err != nil {
		return nil, err
	}
	var states []float32
	for _, r := range rows {
		states = append(states, r.Data...)
	}
	x := nn.Matrix{Rows: len(states) / m.model.Dim(), Cols: m.model.Dim(), Data: states}
	every := nn.Indices(len(all))
	scores, err := h.Scores(p, every, x)
	if err != nil {
		return nil, err
	}
	told, cases := make([]relation.Verdict, len(all)), m.gate.Cases(all)
	var ask []int // whose rule is wanted
	for k := range told {
		s := scores.Row(k)
		nn.Softmax(s, s)
		best := nn.Argmax(s)
		told[k].Relation, told[k].Confidence = m.about.Relations[best], float64(s[best])
		if r := told[k].Relation; r != relation.None && (!quick || len(cases[k].References(r)) > 0) {
			ask = append(ask, k)
		}
	}
	if n.writer != nil && len(ask) > 0 {
		pairs := nn.NewMatrix(len(ask), h.pair.Cols)
		for i, k := range ask {
			copy(pairs.Row(i), h.pair.Row(k))
		}
		from := n.sources(p, nn.Infer, x, nn.Pick(h.places(every), ask), pairs)
		best, greedy := n.writer.Best(p, from, func(i int, text string) bool {
			return quick || cases[ask[i]].Holds(told[ask[i]].Relation, text)
		})
		for i, k := range ask {
			told[k].Wrote, told[k].Greedy = best[i], greedy[i]
		}
	}
	p.Each(len(all), func(_, k int) {
		if t := &told[k]; t.Relation != relation.None {
			t.Rule, t.Source = cases[k].Explain(t.Relation, t.Wrote)
		}
	})
	return told, nil
}
