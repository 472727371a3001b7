package unseen

import (
	"fmt"
	"slices"

	"sotto/compute/measure"
)

// Format is the format of a stored [Result].
const Format = "sotto-unseen-1"

// Result is what was measured. It becomes JSON as it is.
type Result struct {
	Format   string    `json:"format"`
	Seeds    int       `json:"seeds"`
	Epsilons []float64 `json:"epsilons"`
	Methods  []Method  `json:"methods"`
	Sources  []Source  `json:"sources"` // what the method cells is made of
	Results  []Row     `json:"results"`
	Means    []Mean    `json:"means"`
	Notes    []string  `json:"notes"`
}

// Row is one method on one task.
type Row struct {
	Encoder string  `json:"encoder"`
	Task    string  `json:"task"`
	Kind    Kind    `json:"kind"`
	Method  string  `json:"method"`
	Epsilon float64 `json:"epsilon"` // what the method promises, unless Private is false
	Private bool    `json:"private"`
	// Accuracy is the share of right answers, the rank correlation or the share of
	// neighbours, by the kind of the task: the mean over seeds.
	Accuracy measure.Number   `json:"accuracy"`
	Low      measure.Number   `json:"low"` // 95 % interval of the mean over seeds
	High     measure.Number   `json:"high"`
	Values   []measure.Number `json:"values"` // of each seed
}

// Mean is one method on the five tasks that theory was tried on.
type Mean struct {
	Encoder  string         `json:"encoder"`
	Method   string         `json:"method"`
	Epsilon  float64        `json:"epsilon"`
	Accuracy measure.Number `json:"accuracy"`
	Low      measure.Number `json:"low"`
	High     measure.Number `json:"high"`
}

func newResult(o Options, methods []Method) *Result {
	r := &Result{
		Format: Format, Seeds: o.Seeds, Epsilons: o.Epsilons, Methods: methods, Sources: slices.Clone(o.sources), Results: []Row{}, Means: []Mean{},
		Notes: []string{
			"one release a text, made without any label; classifiers are fitted to releases of the training part and judged on those of the test part",
			"raw and majority promise nothing; they stand beside each ε to compare with",
			"the noise comes from seeds, and protects nobody",
		},
	}
	if o.Limit > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("at most %d rows to train on, which costs some points", o.Limit))
	}
	return r
}

// add adds what was measured on a task.
func (r *Result) add(t Task, encoder string, values []value) {
	for _, m := range r.Methods {
		for _, e := range r.Epsilons {
			row := Row{Encoder: encoder, Task: t.Name, Kind: t.Kind, Method: m.Name, Epsilon: e, Private: m.Private}
			var of []float64
			for _, v := range values {
				if v.method == m.Name && (v.epsilon == e || !m.Private) {
					of = append(of, v.number)
				}
			}
			if of == nil {
				continue
			}
			s := measure.Summarise(of)
			row.Accuracy, row.Low, row.High = s.Mean, s.Low, s.High
			row.Values = each(of, func(v float64) measure.Number { return measure.Number(v) })
			r.Results = append(r.Results, row)
		}
	}
}

// average takes the means over the five tasks of theory, where all were measured.
func (r *Result) average() {
	var main []string
	for _, t := range Tasks() {
		if t.main {
			main = append(main, t.Name)
		}
	}
	for _, first := range r.Results {
		if first.Task != main[0] {
			continue
		}
		sums, n := make([]float64, r.Seeds), 0
		for _, row := range r.Results {
			if row.Encoder == first.Encoder && row.Method == first.Method && row.Epsilon == first.Epsilon && slices.Contains(main, row.Task) {
				n++
				for i, v := range row.Values {
					sums[i] += float64(v) / float64(len(main))
				}
			}
		}
		if n == len(main) {
			s := measure.Summarise(sums)
			r.Means = append(r.Means, Mean{first.Encoder, first.Method, first.Epsilon, s.Mean, s.Low, s.High})
		}
	}
}
