package link

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"sotto/command/term"
	"sotto/data/table"
	"sotto/internal/regular"
	"sotto/study/link/records"
)

// unsure is what stands in a file of answers about a pair that nobody could tell.
const unsure = "unsure"

// answersHead is the first line of a file of answers.
const answersHead = "i,j,same,check\n"

// openAnswers opens the file that answers are added to, which need not be there. An
// answer is on disk before the next question, so that none is lost.
func openAnswers(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|regular.Unblocked, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file, must be one", path)
	}
	if err == nil && info.Size() == 0 {
		_, err = f.WriteString(answersHead)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readAnswers reads the answers of before. It refuses those about rows that have changed
// since.
func readAnswers(path string, f *recordsFile) (out []records.Labelled, err error) {
	if info, absent := os.Stat(path); errors.Is(absent, os.ErrNotExist) || absent == nil && info.Size() <= int64(len(answersHead)) {
		return nil, nil
	}
	err = eachPair(path, f.table.Len(), []string{"same", "check"}, func(r *table.Reader, i, j int, text []string) error {
		check, failed := f.check(i, j)
		if failed != nil {
			return failed
		}
		if check != text[1] {
			return r.Bad(fmt.Sprintf("rows %d and %d are not those that were asked about, must be the same table and the same --columns", i, j))
		}
		switch text[0] {
		case "1", "0":
			out = append(out, records.Labelled{I: i, J: j, Same: text[0] == "1"})
		case unsure:
			out = append(out, records.Labelled{I: i, J: j, Unsure: true})
		default:
			return r.Bad("same must be 1, 0 or " + unsure)
		}
		return nil
	})
	return out, err
}

// asking asks questions of a person, or of lines that stand ready.
type asking struct {
	std  term.Streams
	rows *recordsFile
	in   *bufio.Scanner
	file io.Writer
}

func newAsking(std term.Streams, rows *recordsFile, file io.Writer) *asking {
	return &asking{std: std, rows: rows, in: bufio.NewScanner(std.In), file: file}
}

// ask shows two rows side by side and reads an answer. What is shown goes to standard
// error, so that standard output has the result alone.
func (a *asking) ask(q records.Question) (records.Answer, error) {
	t, err := titled(a.std.Err, fmt.Sprintf("Question %d: are these the same? The model says %.0f %%.", q.Same+q.Others+1, 100*q.Probability),
		"", fmt.Sprintf("row %d", q.I), fmt.Sprintf("row %d", q.J))
	if err != nil {
		return "", err
	}
	for c, name := range q.Columns {
		t.Row(term.Plain(name), shown(q.A[c]), shown(q.B[c]))
	}
	if err := t.Flush(); err != nil {
		return "", err
	}
	for {
		if _, err := fmt.Fprintf(a.std.Err, "y yes, n no, u unsure, q quit (%d yes, %d no so far): ", q.Same, q.Others); err != nil {
			return "", err
		}
		if !a.in.Scan() {
			_, err := fmt.Fprintln(a.std.Err)
			return records.Quit, errors.Join(err, a.in.Err())
		}
		var answer records.Answer
		var text string
		switch strings.ToLower(strings.TrimSpace(a.in.Text())) {
		case "y", "yes":
			answer, text = records.Same, "1"
		case "n", "no":
			answer, text = records.Other, "0"
		case "u", "unsure", "?":
			answer, text = records.Unsure, unsure
		case "q", "quit":
			return records.Quit, nil
		default:
			continue
		}
		check, err := a.rows.check(q.I, q.J)
		if err != nil {
			return "", err
		}
		_, err = fmt.Fprintf(a.file, "%d,%d,%s,%s\n", q.I, q.J, text, check)
		return answer, err
	}
}

// shown is a field on one line, without what could play tricks on a terminal.
func shown(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	if text == "" {
		return "(empty)"
	}
	return term.Plain(text)
}
