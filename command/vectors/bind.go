package vectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/internal/regular"
	"sotto/promise/dp"
)

func newBind(std term.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "bind VECTORS…",
		Short: "Bind the record of an earlier version to its file of vectors",
		Long: `Write into VECTORS.privacy.json, or VECTORS.raw.json, the SHA-256 and the number of
rows of VECTORS. Records have held these since they were made to belong to their
files; those of earlier versions are refused without.

That the record is that of these vectors is on your word, which the record then
says among the assumptions of its guarantee. A record that holds a
hash already is left as it is, and refused if it is that of another file.`,
		Example: "  sotto bind private.npy",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, path := range args {
				if err := bind(path, term.ForPeople(std.Out)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// bind writes the hash and the rows of vectors into the record beside them.
func bind(path string, out io.Writer) error {
	record := path + term.PrivacyEnd
	if _, err := os.Stat(record); err != nil {
		record = path + term.RawEnd
	}
	content, err := regular.Read(record, 1<<30)
	if err != nil {
		return fmt.Errorf("%s has no record beside it, must have %s or %s", path, path+term.PrivacyEnd, path+term.RawEnd)
	}
	// What the fields hold keeps its digits.
	var said map[string]json.RawMessage
	if err = json.Unmarshal(content, &said); err != nil || said == nil {
		return fmt.Errorf("%s is not the record of a release", record)
	}
	sum, err := evidence.HashFile(path)
	if err != nil {
		return err
	}
	var old string
	if held, ok := said["sha256"]; ok && (json.Unmarshal(held, &old) != nil || old != sum) {
		return fmt.Errorf("%s is the record of another file, or %s was changed after it was made", record, path)
	} else if ok {
		_, err = fmt.Fprintf(out, "%s is bound already\n", record)
		return err
	}
	rows, err := countRows(path)
	if err != nil {
		return err
	}
	if err = onWord(said); err != nil {
		return fmt.Errorf("%s: %w", record, err)
	}
	said["sha256"], said["rows"] = quoted(sum), quoted(rows)
	said["file"] = quoted(filepath.Base(path))
	if err = term.WriteJSON(record, said); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d rows, SHA-256 %s\n", record, rows, sum)
	return err
}

// onWord adds to the guarantee of a record, if it has one, that it was bound by
// hand: nobody can tell afterwards that it was made with these vectors.
func onWord(said map[string]json.RawMessage) error {
	if nested, ok := said["release"]; ok { // of "sotto encode"
		var release map[string]json.RawMessage
		if err := json.Unmarshal(nested, &release); err != nil {
			return errors.New("not the record of a release")
		}
		err := onWord(release)
		said["release"] = quoted(release)
		return err
	}
	stated, ok := said["guarantee"]
	if !ok {
		return nil
	}
	var g dp.Guarantee
	if err := json.Unmarshal(stated, &g); err != nil {
		return errors.New("not the record of a release")
	}
	g.Assumptions = append(g.Assumptions, "the record was bound to its file afterwards, by sotto bind, on the word of whoever ran it")
	said["guarantee"] = quoted(g)
	return nil
}

func quoted(v any) json.RawMessage {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(err) // of a name or a number
	}
	return bytes.TrimSpace(b.Bytes())
}

// countRows counts the vectors of a file.
func countRows(path string) (int64, error) {
	r, err := vecfile.Open(path, vecfile.Options{})
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	rows := int64(0)
	for block := make([]float64, 256*max(r.Width(), 1)); ; {
		n, err := r.ReadRows(block)
		rows += int64(n)
		if errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return 0, err
		}
	}
}
