package shard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sotto/data/textfile"
	"sotto/data/vecfile"
)

// Message is a record that comes by itself, and what became of it.
type Message struct {
	Name    string // stands for its id; it tells nothing of it
	Release []byte // a line of JSON, as in a part; nil if it could not be released
}

// Messages releases records that are objects of JSON, as lines of a file would be: the
// same record has the same release. What is no record, or none that the mechanism takes,
// has no release, and keeps no other from having one.
func (w *Worker) Messages(ctx context.Context, objects [][]byte) ([]Message, error) {
	if w.spec.ID == "" || w.spec.Text == "" || w.spec.Vectors {
		return nil, errors.New("shard: messages need columns of ids and texts")
	}
	made := make([]Message, len(objects))
	var lines [][]byte
	var at []int
	for i, o := range objects {
		var fields map[string]json.RawMessage
		var id string
		var line bytes.Buffer
		if json.Unmarshal(o, &fields) != nil || json.Unmarshal(fields[w.spec.ID], &id) != nil || id == "" || json.Compact(&line, o) != nil {
			continue
		}
		made[i].Name = w.Name(id)
		lines, at = append(lines, append(line.Bytes(), '\n')), append(at, i)
	}
	all, err := w.lines(ctx, lines)
	if err != nil && ctx.Err() == nil { // one of them is at fault: which?
		all = make([][]byte, len(lines))
		for i := range lines {
			if one, failed := w.lines(ctx, lines[i:i+1]); failed == nil {
				all[i] = one[0]
			}
		}
	}
	for i, release := range all {
		made[at[i]].Release = release
	}
	return made, ctx.Err()
}

// lines releases lines, all of them or none.
func (w *Worker) lines(ctx context.Context, lines [][]byte) ([][]byte, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	in, err := textfile.ReadDeclared(bytes.NewReader(bytes.Join(lines, nil)), textfile.Options{
		Name: "a message", Format: textfile.JSONL, Column: w.spec.Text, Beside: w.spec.read(), Inside: true,
	})
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	var b bytes.Buffer
	_, width := w.mech.Shape()
	out, err := vecfile.NewWriter(&b, vecfile.JSONL, vecfile.WriterOptions{Width: width, Beside: w.spec.written()})
	if err != nil {
		return nil, err
	}
	if _, err = w.releaseFrom(ctx, Chunk{}, in, out, nil, aside{}); err == nil {
		err = out.Close()
	}
	if err != nil {
		return nil, err
	}
	made := bytes.SplitAfter(b.Bytes(), []byte("\n"))
	if made = made[:len(made)-1]; len(made) != len(lines) {
		return nil, fmt.Errorf("shard: %d messages have %d releases, must have one each", len(lines), len(made))
	}
	return made, nil
}
