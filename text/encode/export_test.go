package encode

// ParseAnswer reads the answer of an endpoint to so many texts.
func ParseAnswer(answer []byte, texts int) ([][]float32, error) {
	rows, err := (&Endpoint{to: &Address{}}).parse(answer, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(rows))
	for i, row := range rows {
		out[i] = make([]float32, len(row))
		if reason := take(out[i], row); reason != "" {
			return nil, new(Address).Errorf("a vector %s", reason)
		}
	}
	return out, nil
}
