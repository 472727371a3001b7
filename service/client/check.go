package client

import (
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sotto/service/server/kserve"
)

var wordForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// goodName reports whether a model may be called so, as a server's folders are. To count
// within the expression would take long at the start of every program.
func goodName(name string) bool { return len(name) <= 255 && wordForm.MatchString(name) }

// What a server's words may take, in bytes.
const (
	mostIndex    = 1 << 20 // of the list of models
	mostFirst    = 4 << 20 // of what a model is, when nothing is known of it
	mostRest     = 1 << 14 // of a message, besides names and numbers
	mostNumber   = 32      // of a probability, with what stands around it
	mostEscape   = 6       // of a byte of a string: JSON may write one as \u0000
	mostWord     = 256     // of a name that is no class
	mostSentence = 300     // of a refusal
)

// mostMetadata is how long a description of the model may be.
func (s *Server) mostMetadata() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.expected == nil {
		return mostFirst
	}
	n := int64(mostRest)
	for l, label := range s.expected {
		names := int64(len(label.Name)+mostWord) * mostEscape * 4 // with its two outputs
		for _, c := range label.Classes {
			names += int64(len(c)+4) * mostEscape
		}
		if n += names; l == 0 { // whose classes stand there twice
			n += names
		}
	}
	return min(n, maxAnswer)
}

// mostAnswer is how long an answer to so many rows may be.
func (m Model) mostAnswer(rows int) int64 {
	head, row := int64(mostRest), int64(0)
	for _, label := range m.Labels {
		longest := 0
		for _, c := range label.Classes {
			longest = max(longest, len(c))
		}
		head += int64(len(label.Scores)+len(label.Class)) * mostEscape
		row += int64(len(label.Classes))*mostNumber + int64(longest+4)*mostEscape
	}
	if row > maxAnswer/int64(rows) {
		return maxAnswer
	}
	return min(head+row*int64(rows), maxAnswer)
}

// check says why a description cannot be one of the model of that name, "" if
// it can.
func (m Model) check(name string) string {
	switch {
	case m.Name != name:
		return "it is of another model"
	case len(m.Version) > mostWord || len(m.Method) > mostWord:
		return "the model's version or method is a giant"
	case m.Width < 1 || m.Codes < 0 || m.Codes > 0 && m.Codes != m.Width:
		return "the model takes no vectors"
	case slices.ContainsFunc(m.Labels, func(l Label) bool { return l.Scores == "" || l.Class == "" }):
		return "an output has no name"
	}
	return checkLabels(m.Labels)
}

// checkLabels says why labels cannot be told apart, "" if they can.
func checkLabels(labels []Label) string {
	if len(labels) == 0 {
		return "there is no label"
	}
	names, outputs := map[string]bool{}, map[string]bool{}
	for _, l := range labels {
		if names[l.Name] || l.Name == "" && len(labels) > 1 {
			return "a label has no name of its own"
		}
		names[l.Name] = true
		for _, o := range []string{l.Scores, l.Class} {
			if outputs[o] && o != "" || len(o) > len(l.Name)+mostWord {
				return "an output has no name of its own"
			}
			outputs[o] = true
		}
		if len(l.Classes) < 2 {
			return "a label has fewer than two classes"
		}
		classes := make(map[string]bool, len(l.Classes))
		for _, c := range l.Classes {
			if classes[c] {
				return "a class is there twice"
			}
			classes[c] = true
		}
	}
	return ""
}

// sameLabels compares labels by name and classes. The name of a single one is
// not part of any answer.
func sameLabels(a, b []Label) bool {
	return slices.EqualFunc(a, b, func(x, y Label) bool {
		return (x.Name == y.Name || len(a) == 1) && slices.Equal(x.Classes, y.Classes)
	})
}

// answers takes a response apart by row and label, and believes nothing that is
// not about the model's labels and classes.
func (m Model) answers(res *kserve.Response, rows int) ([]Answer, error) {
	if res.ModelName != m.Name || res.ID != "" {
		return nil, malformed("it is not for this model, or not to this request")
	}
	if len(res.Outputs) != 2*len(m.Labels) {
		return nil, malformed("it has not the outputs that were asked for")
	}
	outputs := make(map[string]kserve.Tensor, len(res.Outputs))
	for _, t := range res.Outputs {
		outputs[t.Name] = t
	}
	answers := make([]Answer, rows)
	for l, label := range m.Labels {
		said, reason := label.rows(outputs[label.Scores], outputs[label.Class], rows)
		if reason != "" {
			return nil, malformed(reason)
		}
		for i, a := range said {
			if l == 0 {
				answers[i] = a
			}
			if len(m.Labels) == 1 {
				continue
			}
			if l == 0 {
				answers[i].Labels = make(map[string]Answer, len(m.Labels))
			}
			answers[i].Labels[label.Name] = a
		}
	}
	return answers, nil
}

// The scores of a row are 32-bit floats, each rounded by at most 2⁻²⁴ of itself,
// perhaps written in fewer digits, and perhaps summed in 32 bits by whoever made
// them, which is another 2⁻²⁴ a class.
const rounding = 1e-3

// rows takes the two outputs of a label apart; reason is why they cannot be
// believed.
func (l Label) rows(scores, class kserve.Tensor, rows int) (said []Answer, reason string) {
	n := len(l.Classes)
	switch {
	case scores.Datatype != kserve.FP32 || class.Datatype != kserve.Bytes:
		return nil, "an output is missing or of another type"
	case !slices.Equal(scores.Shape, []int{rows, n}) || !slices.Equal(class.Shape, []int{rows}):
		return nil, "an output has not a row for each vector and a column for each class"
	}
	index := make(map[string]int, n)
	for j, c := range l.Classes {
		index[c] = j
	}
	said = make([]Answer, rows)
	for i := range said {
		row := scores.Floats[i*n : (i+1)*n]
		named, ok := index[class.Strings[i]]
		if !ok {
			return nil, "a class is none of the model's"
		}
		sum, top := 0.0, 0.0
		a := Answer{Class: l.Classes[named], Scores: make(map[string]float64, n)}
		for j, v := range row {
			p := float64(v)
			if !(p >= 0 && p <= 1+rounding) { // NaN refuses
				return nil, "a score is no probability"
			}
			sum, top = sum+p, max(top, p)
			a.Scores[l.Classes[j]] = p
		}
		if !(math.Abs(sum-1) <= rounding+float64(n)*0x1p-24) {
			return nil, "scores of a row do not sum to 1"
		}
		if !(float64(row[named]) >= top-rounding) {
			return nil, "a class is not the likeliest by its own scores"
		}
		said[i] = a
	}
	return said, ""
}

// codes are the reasons for which "sotto serve" refuses. Others are not repeated.
var codes = []string{
	"no_guarantee", "guarantee_mismatch", "wrong_width", "no_code", "no_cell", "not_finite", "empty_batch", "batch_too_large", "invalid_request",
	"model_not_found", "not_found", "incomplete_body", "cancelled", "body_too_large", "overloaded", "not_ready", "internal",
}

// doubted returns a server's refusal as far as it may be repeated: the status, a
// code that is known, and a short sentence of printable letters.
func doubted(err error, status int) error {
	code := func(c string) string {
		if slices.Contains(codes, c) {
			return c
		}
		return "unknown"
	}
	switch e := err.(type) { //nolint:errorlint // failure wraps none of them
	case *RateLimited:
		return e
	case *Unavailable:
		return &Unavailable{Status: e.Status, Code: code(e.Code)}
	case *Refused:
		return &Refused{Status: e.Status, Code: code(e.Code), Message: sentence(e.Message)}
	}
	return &Refused{Status: status, Code: "unknown", Message: http.StatusText(status)}
}

// sentence shortens what somebody says, and takes what could move a terminal.
func sentence(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), mostSentence)], "")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}
