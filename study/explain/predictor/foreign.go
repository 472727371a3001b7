package predictor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/nn"
	"sotto/study/explain"
	"sotto/text/encode"
)

// maxClasses bounds what a foreign predictor may tell apart.
const maxClasses = 10_000

// Command asks a program on this machine: each line that it reads is a text as a JSON
// string, and for each it writes a line with a JSON array of probabilities, one for
// each class. It sees every text, so that it is on the trusted side. The rules are
// those of [encode.Command].
type Command struct {
	command *encode.Command
	classes []string
}

var _ explain.Predictor = (*Command)(nil)

// NewCommand starts a program, given as a shell would be. Without names classes are
// numbered; the program is then asked how many there are, with the text "a".
func NewCommand(ctx context.Context, line string, classes []string) (*Command, error) {
	if strings.TrimSpace(line) == "" {
		return nil, errors.New("predictor: command is empty, must be a program and its arguments")
	}
	shell := []string{"sh", "-c", line}
	if runtime.GOOS == "windows" {
		shell = strings.Fields(line)
	}
	c, err := encode.NewCommand(ctx, shell, encode.CommandConfig{})
	if err != nil {
		return nil, err
	}
	if classes, err = named(classes, c.Dim()); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &Command{c, classes}, nil
}

// named returns the names of so many classes, and refuses others.
func named(classes []string, n int) ([]string, error) {
	if n < 2 || n > maxClasses {
		return nil, fmt.Errorf("predictor: an answer has %d probabilities, must have from 2 to %d", n, maxClasses)
	}
	if len(classes) == 0 {
		for c := range n {
			classes = append(classes, strconv.Itoa(c))
		}
	}
	if len(classes) != n {
		return nil, fmt.Errorf("predictor: %d classes are named and an answer has %d probabilities, must be as many", len(classes), n)
	}
	for i, c := range classes {
		if c == "" || slices.Contains(classes[:i], c) {
			return nil, errors.New("predictor: a class has no name of its own, must have one")
		}
	}
	return slices.Clone(classes), nil
}

// Classes implements [explain.Predictor].
func (c *Command) Classes() []string { return slices.Clone(c.classes) }

// Predict implements [explain.Predictor].
func (c *Command) Predict(ctx context.Context, texts []string) ([][]float64, error) {
	x := nn.NewMatrix(len(texts), len(c.classes))
	if err := c.command.EncodeBatch(ctx, x, texts, 1); err != nil {
		return nil, err
	}
	rows := make([][]float64, len(texts))
	for i := range rows {
		rows[i] = make([]float64, x.Cols)
		for j, v := range x.Row(i) {
			rows[i][j] = float64(v)
		}
	}
	return rows, explain.Check(rows, len(texts), len(c.classes))
}

// Close ends the program. An error says that its answers may belong to other texts.
func (c *Command) Close() error { return c.command.Close() }

// Address asks a service: {"texts": ["…"]} is posted to it, and it answers with
// {"probabilities": [[0.1, 0.9]]}, a row for each text, and "classes" too if it names
// them. Every text is sent there as it is, with what is left of it when words are left
// out: whoever runs the service reads them. The rules are those of [encode.Address].
type Address struct {
	to      *encode.Address
	classes []string
}

var _ explain.Predictor = (*Address)(nil)

// NewAddress asks a service which classes it has, with the text "a", unless they are
// named.
func NewAddress(ctx context.Context, c encode.AddressConfig, classes []string) (*Address, error) {
	to, err := encode.NewAddress(c)
	if err != nil {
		return nil, err
	}
	a := &Address{to: to}
	rows, said, err := a.ask(ctx, []string{"a"})
	if err != nil {
		return nil, err
	}
	if len(classes) == 0 {
		classes = said
	}
	a.classes, err = named(classes, len(rows[0]))
	return a, err
}

// Classes implements [explain.Predictor].
func (a *Address) Classes() []string { return slices.Clone(a.classes) }

// batch is how many texts are sent at a time.
const batch = 128

// Predict implements [explain.Predictor].
func (a *Address) Predict(ctx context.Context, texts []string) ([][]float64, error) {
	var rows [][]float64
	for part := range slices.Chunk(texts, batch) {
		answers, _, err := a.ask(ctx, part)
		if err != nil {
			return nil, err
		}
		rows = append(rows, answers...)
	}
	return rows, explain.Check(rows, len(texts), len(a.classes))
}

// answer is what a service says.
type answer struct {
	Probabilities [][]float64 `json:"probabilities"`
	Classes       []string    `json:"classes"`
}

// ask posts texts. An answer that is not of the form is refused and never shown: it
// may quote a text.
func (a *Address) ask(ctx context.Context, texts []string) ([][]float64, []string, error) {
	body, err := json.Marshal(map[string][]string{"texts": texts})
	if err != nil {
		return nil, nil, errors.New("predictor: the request cannot be written")
	}
	content, err := a.to.Post(ctx, body, 64<<20)
	if err != nil {
		return nil, nil, err
	}
	var said answer
	if strict(content, &said) != nil || len(said.Probabilities) != len(texts) {
		return nil, nil, a.to.Errorf(`its answer is not JSON like {"probabilities":[[0.1,0.9]]} with a row for each of %d texts, must be`, len(texts))
	}
	for _, row := range said.Probabilities {
		if len(row) != len(said.Probabilities[0]) || len(row) < 2 || len(row) > maxClasses {
			return nil, nil, a.to.Errorf("a row of its answer has %d probabilities, must have as many as the others, from 2 to %d", len(row), maxClasses)
		}
	}
	return said.Probabilities, said.Classes, nil
}

// strict reads JSON that is one value of the given form and nothing else.
func strict(content []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if d.More() {
		return errors.New("predictor: something follows the value")
	}
	return nil
}
