package text

// Span is a part of a text: the bytes from Start up to, but without, End.
type Span struct{ Start, End int }

// Spans returns where the words of s are, in order. In lower case and with
// straight apostrophes they are what [Words] returns.
func Spans(s string) []Span {
	var spans []Span
	for at := 0; ; {
		begin, end := next(s, at)
		if begin == end {
			return spans
		}
		spans = append(spans, Span{begin, end})
		at = end
	}
}
