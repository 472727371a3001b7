package sentence_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/sentence"
)

// book is sentences, of which one has an abbreviation and one no full stop.
var book = []string{"Mr. Hill ran home.", "It was late!", "did he sleep?", "He met Dr. Low at noon.", "Thanks", "She left."}

// lesson is a document of the sentences of the book, many times.
func lesson(repeat int) *language.Document {
	d := &language.Document{Text: strings.Repeat(strings.Join(book, " ")+" ", repeat)}
	d.Tokens = language.Tokens(d.Text)
	end, sentence := len(book[0]), 0
	for i := range d.Tokens {
		if d.Tokens[i].Start >= end {
			sentence++
			end += 1 + len(book[sentence%len(book)])
		}
		d.Tokens[i].Sentence = sentence
	}
	return d
}

// learnt returns a splitter that learnt the book.
func learnt(t testing.TB) *sentence.Splitter {
	t.Helper()
	s, err := sentence.Train(context.Background(), lesson(30), 1)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = sentence.Decode(s.Encode()); err != nil {
		t.Fatal(err)
	}
	return s
}

// begins returns how sentences begin.
func begins(t testing.TB, s *sentence.Splitter, text string) string {
	t.Helper()
	d, err := language.Pipeline{s}.Document(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	var words []string
	for i, token := range d.Tokens {
		if i == 0 || token.Sentence != d.Tokens[i-1].Sentence {
			words = append(words, token.Text)
		}
	}
	return strings.Join(words, " ")
}

func TestAnnotate(t *testing.T) {
	s := learnt(t)
	for _, tt := range []struct{ text, want string }{
		{"Mr. Hill left. It was late!", "Mr. It"},
		{"He met Mr. Hill at noon. Thanks", "He Thanks"},
		{"no stop\n\nat all\r\n\r\nhere", "no at here"},
		{"", ""},
	} {
		if got := begins(t, s, tt.text); got != tt.want {
			t.Errorf("sentences of %q begin with %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	if _, err := sentence.Train(context.Background(), &language.Document{}, 1); !errors.Is(err, sentence.ErrSentences) {
		t.Errorf("Train() error = %v, want %v", err, sentence.ErrSentences)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := sentence.Train(ctx, lesson(2), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Train() error = %v, want %v", err, context.Canceled)
	}
}

func TestDecodeRefuses(t *testing.T) {
	content := learnt(t).Encode()
	nan := append([]byte{0, 0, 0xc0, 0x7f}, content[4:]...)
	for i, bad := range [][]byte{nil, content[:9], append(content, 0), nan} {
		if _, err := sentence.Decode(bad); err == nil {
			t.Errorf("bytes %d were taken for a model", i)
		}
	}
}

func FuzzAnnotate(f *testing.F) {
	s := learnt(f)
	f.Add("Hello. World")
	f.Add("\xff.\n\n\u200d(")
	f.Fuzz(func(t *testing.T, text string) { begins(t, s, text) })
}

func ExampleSplitter() {
	s, err := sentence.Train(context.Background(), lesson(30), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := language.Pipeline{s}.Document("Mr. Hill ran home. It was late!")
	fmt.Println(d.Sentences(), err)
	// Output: 2 <nil>
}
