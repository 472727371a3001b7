package transformer

// Batch is some sequences of tokens, of which several may be windows of one text.
type Batch struct {
	IDs, Types []int32 // of the tokens of all sequences, one after the other
	Starts     []int   // where each sequence begins, and the end of the last

	texts []int // the first sequence of each text
}

// Add puts another sequence behind the others: a text, or its first window.
func (b *Batch) Add(ids, types []int32) {
	b.texts = append(b.texts, b.Sequences())
	b.More(ids, types)
}

// More adds another window of the text that was added last.
func (b *Batch) More(ids, types []int32) {
	if len(b.Starts) == 0 {
		b.Starts = append(b.Starts, 0)
	}
	b.IDs, b.Types = append(b.IDs, ids...), append(b.Types, types...)
	b.Starts = append(b.Starts, len(b.IDs))
}

// Clear empties b and keeps its memory.
func (b *Batch) Clear() {
	b.IDs, b.Types, b.Starts, b.texts = b.IDs[:0], b.Types[:0], b.Starts[:0], b.texts[:0]
}

// Sequences returns how many there are.
func (b *Batch) Sequences() int { return max(0, len(b.Starts)-1) }

// Texts returns how many texts the sequences are of.
func (b *Batch) Texts() int { return len(b.texts) }

// Windows returns where the sequences of a text begin and end.
func (b *Batch) Windows(text int) (from, to int) {
	if text+1 < len(b.texts) {
		return b.texts[text], b.texts[text+1]
	}
	return b.texts[text], b.Sequences()
}

// Rows returns where the tokens of a text begin and end, those of all its windows.
func (b *Batch) Rows(text int) (from, to int) {
	from, to = b.Windows(text)
	return b.Starts[from], b.Starts[to]
}

// longest returns the most tokens of a sequence.
func (b *Batch) longest() int {
	most := 0
	for i := range b.Sequences() {
		most = max(most, b.Starts[i+1]-b.Starts[i])
	}
	return most
}
