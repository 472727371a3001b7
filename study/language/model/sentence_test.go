package model_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/model"
)

// book is sentences, of which one has an abbreviation and one no full stop.
var book = []string{"Mr. Hill ran home.", "It was late!", "did he sleep?", "He met Dr. Low at noon.", "Thanks", "She left."}

// lesson is a document of the sentences of the book, many times.
func sentenceLesson(repeat int) *language.Document {
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
func learnt(t testing.TB) *model.Splitter {
	t.Helper()
	s, err := model.TrainSentences(context.Background(), sentenceLesson(30), 1)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = model.DecodeSentences(s.Encode()); err != nil {
		t.Fatal(err)
	}
	return s
}

// begins returns how sentences begin.
func begins(t testing.TB, s *model.Splitter, text string) string {
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
	if _, err := model.TrainSentences(context.Background(), &language.Document{}, 1); !errors.Is(err, model.ErrSentences) {
		t.Errorf("Train() error = %v, want %v", err, model.ErrSentences)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := model.TrainSentences(ctx, sentenceLesson(2), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Train() error = %v, want %v", err, context.Canceled)
	}
}

func TestDecodeRefuses(t *testing.T) {
	content := learnt(t).Encode()
	nan := append([]byte{0, 0, 0xc0, 0x7f}, content[4:]...)
	for i, bad := range [][]byte{nil, content[:9], append(content, 0), nan} {
		if _, err := model.DecodeSentences(bad); err == nil {
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
	s, err := model.TrainSentences(context.Background(), sentenceLesson(30), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := language.Pipeline{s}.Document("Mr. Hill ran home. It was late!")
	fmt.Println(d.Sentences(), err)
	// Output: 2 <nil>
}
