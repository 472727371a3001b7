package english_test

import (
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/english"
)

// passage is a text of some sentences, as people write.
const passage = "President Bush on Tuesday nominated two individuals to replace retiring jurists on federal courts in the Washington area. " +
	"I don't think that they've ever seen anything like it before, but who knows? Please call me at the office if you have any questions about the contract. "

// BenchmarkTrees measures tokens, sentences, tags, lemmas and trees, and
// BenchmarkAll names and personal data beside them, on one core.
func BenchmarkTrees(b *testing.B) {
	m, err := english.Model()
	if err != nil {
		b.Fatal(err)
	}
	run(b, language.Pipeline{m})
}

func BenchmarkAll(b *testing.B) {
	p, err := english.Load()
	if err != nil {
		b.Fatal(err)
	}
	run(b, p)
}

func run(b *testing.B, p language.Pipeline) {
	text := strings.Repeat(passage, 4)
	tokens := 0
	for b.Loop() {
		d, err := p.Document(text)
		if err != nil {
			b.Fatal(err)
		}
		tokens += len(d.Tokens)
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}
