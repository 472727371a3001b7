package erase

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxList bounds a list of words.
const maxList = 1 << 24

// ReadWords reads words, a JSON list or one a line.
func ReadWords(r io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxList))
	if err != nil {
		return nil, err
	}
	words := []string{}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if err := json.Unmarshal(text, &words); err != nil {
			return nil, errors.New("erase: the list is no JSON list of words")
		}
		return words, nil
	}
	for line := range strings.Lines(string(text)) {
		if word := strings.TrimSpace(line); word != "" {
			words = append(words, word)
		}
	}
	return words, nil
}

// ReadPairs reads a JSON list of lists of two words.
func ReadPairs(r io.Reader) ([][2]string, error) {
	var lists [][]string
	d := json.NewDecoder(io.LimitReader(r, maxList))
	if err := d.Decode(&lists); err != nil {
		return nil, errors.New("erase: the list is no JSON list of lists of two words")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("erase: the file goes on after its list, must end there")
	}
	pairs := make([][2]string, len(lists))
	for i, l := range lists {
		if len(l) != 2 || l[0] == "" || l[1] == "" {
			return nil, fmt.Errorf("erase: list %d has %d words, must have 2", i+1, len(l))
		}
		pairs[i] = [2]string{l[0], l[1]}
	}
	return pairs, nil
}
