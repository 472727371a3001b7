package vectors_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/vectors"
	"sotto/learn/experiment"
	"sotto/learn/model"
)

// letters are rows of texts that are all different, three of a person, from one
// number to another.
func letters(from, to int) []string {
	var rows []string
	for i := from; i < to; i++ {
		words := []string{"awful broken slow", "lovely quick clean"}[i%2]
		rows = append(rows, fmt.Sprintf("p%d,%s number %d,%s,%d", i/3, words, i, []string{"bad", "good"}[i%2], i))
	}
	return rows
}

// lettered writes rows to a file.
func lettered(t *testing.T, rows ...[]string) string {
	t.Helper()
	return clitest.TextFile(t, "letters.csv", "who,text,stars,n\n"+strings.Join(slices.Concat(rows...), "\n")+"\n")
}

// learnt returns how many rows a training saw.
func learnt(t *testing.T, dir string) int64 {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, experiment.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	var r experiment.Result
	if err = json.Unmarshal(content, &r); err != nil {
		t.Fatal(err)
	}
	return int64(r.Rows.Train + r.Rows.Validation)
}

// through releases a file through a model, and returns what stands in the record.
func through(t *testing.T, dir, in string, more ...string) (got vectors.EncodeSummary, assumed string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	got = encoded(t, append([]string{"--model", dir, "--in", in, "--text", "text", "--out", out}, more...)...)
	if code, _, errs := program.Sotto(t, "", "report", out+".privacy.json", "--format", "md", "--out", "-"); code != command.ExitDone {
		t.Errorf("report: exit code %d: %s", code, errs)
	}
	return got, strings.Join(got.Record.Release.Guarantee.Assumptions, "; ")
}

// refused checks that a file is not released, and that nothing is written of it.
func refused(t *testing.T, dir, in, want string, more ...string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	code, _, errs := program.Sotto(t, "", append([]string{"encode", "--model", dir, "--in", in, "--text", "text", "--out", out}, more...)...)
	if code != command.ExitUse || !strings.Contains(errs, want) {
		t.Errorf("encode %q: exit code %d: %s, want %q", more, code, errs, want)
	}
	if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) > 0 {
		t.Errorf("encode %q left %v, %v", more, left, err)
	}
}

// uncovered checks how many rows a record says are not covered.
func uncovered(t *testing.T, what string, got vectors.EncodeSummary, rows, want int64) {
	t.Helper()
	if u := got.Record.Uncovered; got.Rows != rows || u == nil || u.Rows == nil || *u.Rows != want {
		b, _ := json.Marshal(u)
		t.Errorf("%s: %s of %d rows are not covered, want %d of %d", what, b, got.Rows, want, rows)
	}
}

func TestTrainedRows(t *testing.T) {
	old, fresh := letters(0, 240), letters(300, 400)
	in, others := lettered(t, old), lettered(t, fresh)
	dir := trained(t, in, "--method codes --epsilon 5 --hidden 8")
	saw := learnt(t, dir)
	if saw < 150 || saw >= 240 {
		t.Fatalf("the training saw %d of 240 rows, want most and not all", saw)
	}
	refused(t, dir, in, fmt.Sprintf("was trained on %d of these rows", saw))
	code, out, errs := program.Sotto(t, strings.Join(append([]string{"who,text,stars,n"}, old...), "\n"), "encode", "--model", dir, "--text", "text", "--in-format", "csv")
	if code != command.ExitUse || out != "" || !strings.Contains(errs, "standard input: the model") {
		t.Errorf("standard input: exit code %d, %d bytes, %s", code, len(out), errs)
	}
	got, assumed := through(t, dir, others)
	uncovered(t, "others", got, 100, 0)
	if strings.Contains(assumed, "of these") {
		t.Errorf("of others it assumes %s", assumed)
	}
	got, assumed = through(t, dir, in, "--include-trained")
	uncovered(t, "included", got, 240, saw)
	if want := fmt.Sprintf("%d of these 240 rows are not covered", saw); !strings.Contains(assumed, want) {
		t.Errorf("it assumes %s, want %q", assumed, want)
	}
	got, assumed = through(t, dir, lettered(t, old, fresh), "--skip-trained", "--keep", "n")
	uncovered(t, "left out", got, 340-saw, 0)
	if got.Trained != saw || got.Declined != 0 || !strings.Contains(assumed, fmt.Sprintf("%d rows were left out because the model was trained on them", saw)) {
		t.Errorf("%d rows were left out, %d declined, assuming %s; want %d", got.Trained, got.Declined, assumed, saw)
	}
	// However a row is written, it is one that the model saw.
	seen := ""
	for _, row := range old {
		again := clitest.TextFile(t, "one.csv", "text\n"+strings.Split(row, ",")[1]+"\n")
		if code, _, errs = program.Sotto(t, "", "encode", "--model", dir, "--in", again, "--text", "text"); code == command.ExitUse && strings.Contains(errs, "was trained on 1 of these rows") {
			seen = strings.Split(row, ",")[1]
			break
		}
	}
	written := clitest.TextFile(t, "two.jsonl", fmt.Sprintf("{\"text\": %q}\n{\"text\": %q}\n", "  "+strings.ToUpper(seen), strings.ReplaceAll(seen, " ", "\u00a0 ")))
	refused(t, dir, written, "was trained on 2 of these rows")
	refused(t, dir, written, "nothing is left to release", "--skip-trained")
}

// Of a person whom the model was trained on, no row is covered.
func TestTrainedPersons(t *testing.T) {
	old := letters(0, 240)
	in := lettered(t, old)
	named, unnamed := trained(t, in, "--method codes --epsilon 5 --hidden 8 --person who"), trained(t, in, "--method codes --epsilon 5 --hidden 8")
	var hers []string
	for i := range 90 { // of old persons each another row, which is new, and of 10 new ones
		hers = append(hers, fmt.Sprintf("p%d,awful broken slow letter %d,bad,0", i, i))
	}
	others := lettered(t, hers)
	saw := learnt(t, named) / 3 // persons, all of whose rows are in one part
	refused(t, named, others, fmt.Sprintf("rows of the persons of %d of these rows", saw), "--person", "who")
	got, _ := through(t, named, others)
	uncovered(t, "nobody asks for persons", got, 90, 0)
	got, assumed := through(t, named, others, "--person", "who", "--include-trained")
	uncovered(t, "of persons", got, 90, saw)
	if !strings.Contains(assumed, fmt.Sprintf("%d of these 90 rows are not covered: the model was trained on rows of the same persons", saw)) {
		t.Errorf("it assumes %s", assumed)
	}
	got, _ = through(t, named, others, "--person", "who", "--skip-trained")
	uncovered(t, "left out", got, 90-saw, 0)
	if got.Trained != saw || got.Record.Person == nil || got.Record.Person.Rows != 1 {
		t.Errorf("%d rows were left out and a person has %+v, want %d and one row", got.Trained, got.Record.Person, saw)
	}
	// Without names the rows of the file tell, those before and those behind.
	both := lettered(t, hers, old)
	got, assumed = through(t, unnamed, both, "--person", "who", "--include-trained", "--max-rows", "2")
	if u := got.Record.Uncovered; got.Rows != 170 || u == nil || *u.Rows <= 100 || *u.Rows > 160 || !strings.Contains(assumed, "by the rows of this file alone") {
		t.Errorf("%+v of %d rows are not covered, assuming %s", u, got.Rows, assumed)
	}
	skipped, _ := through(t, unnamed, both, "--person", "who", "--skip-trained", "--max-rows", "2")
	if skipped.Rows != got.Rows-*got.Record.Uncovered.Rows {
		t.Errorf("%d rows are left, want %d less %d", skipped.Rows, got.Rows, *got.Record.Uncovered.Rows)
	}
	linked, _ := through(t, named, both, "--link-by", "who", "--skip-trained")
	if linked.Rows == 0 || linked.Trained == 0 || linked.Record.Person.Linked == nil {
		t.Errorf("of linked rows %d are left and %d left out", linked.Rows, linked.Trained)
	}
	code, out, errs := program.Sotto(t, "who,text\na,b\n", "encode", "--model", unnamed, "--text", "text", "--in-format", "csv", "--person", "who", "--skip-trained")
	if code != command.ExitUse || out != "" || !strings.Contains(errs, "must be a file") {
		t.Errorf("standard input: exit code %d: %s", code, errs)
	}
}

// A row is known by its numbers, too, and by what masks leave of it.
func TestTrainedNumbers(t *testing.T) {
	old := letters(0, 120)
	dir := trained(t, lettered(t, old), "--method codes --epsilon 5 --hidden 8 --numbers n")
	saw := learnt(t, dir)
	var moved, same []string
	for i, row := range old {
		moved = append(moved, row+"5")
		same = append(same, strings.TrimSuffix(row, fmt.Sprint(i))+fmt.Sprintf(" %d.0 ", i))
	}
	refused(t, dir, lettered(t, same), fmt.Sprintf("was trained on %d of these rows", saw))
	got, _ := through(t, dir, lettered(t, moved[1:]))
	uncovered(t, "other numbers", got, 119, 0)
}

func TestFolderOfBefore(t *testing.T) {
	in := lettered(t, letters(0, 120))
	dir := trained(t, in, "--method codes --epsilon 5 --hidden 8")
	folder := filepath.Join(dir, "seed-1")
	secret, err := os.ReadFile(filepath.Join(folder, model.SecretFile))
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("0f", 32)
	if err = os.WriteFile(filepath.Join(folder, model.SecretFile), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, in, "is damaged or of another model than the secret beside it")
	if err = os.Remove(filepath.Join(folder, model.SecretFile)); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, in, "has no secret", "--include-trained")
	if err = errors.Join(os.WriteFile(filepath.Join(folder, model.SecretFile), secret, 0o600), os.Remove(filepath.Join(folder, model.TrainedFile))); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, in, "is not known", "--skip-trained")
	got, assumed := through(t, dir, in, "--keep", "n")
	b, err := os.ReadFile(got.Metadata)
	if got.Rows != 120 || err != nil || !strings.Contains(string(b), `"uncovered": null`) || !strings.Contains(assumed, "is not known") {
		t.Errorf("of %d rows the record says %s, %v", got.Rows, b, err)
	}
	for _, name := range []string{model.SecretFile, model.TrainedFile} {
		if _, err := os.Stat(filepath.Join(dir, experiment.ReferenceDir, name)); errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the reference has no %s", name)
		}
	}
}

// The record inside a Parquet file says what the one beside it says.
func TestTrainedInside(t *testing.T) {
	in := lettered(t, letters(0, 240))
	dir := trained(t, in, "--method codes --epsilon 5 --hidden 8")
	out := filepath.Join(t.TempDir(), "out.parquet")
	got := encoded(t, "--model", dir, "--in", in, "--text", "text", "--include-trained", "--person", "who", "--keep", "n", "--out", out)
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	said, _ := p.Lookup("sotto.privacy")
	var inside, beside map[string]any
	b, err := os.ReadFile(got.Metadata)
	if err = errors.Join(err, json.Unmarshal(b, &beside), json.Unmarshal([]byte(said), &inside)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "sha256", "rows"} { // which file it is, says its place
		delete(beside, name)
	}
	if inside["uncovered"] == nil || !reflect.DeepEqual(inside, beside) {
		t.Errorf("inside stands\n%v\nand beside\n%v", inside, beside)
	}
}

// A file that is read in another encoding than its own holds the rows that it holds.
func TestTrainedEncoding(t *testing.T) {
	old := letters(0, 120)
	for i := range old {
		old[i] = strings.Replace(old[i], " number", " caf\u00e9 \u00e0 cr\u00e8me number", 1)
	}
	var latin1 []string
	for _, row := range old {
		var b []byte
		for _, r := range row {
			b = append(b, byte(r))
		}
		latin1 = append(latin1, string(b))
	}
	for _, rows := range [][]string{old, latin1} {
		dir := trained(t, lettered(t, rows), "--method codes --epsilon 5 --hidden 8")
		saw := learnt(t, dir)
		for k, in := range []string{lettered(t, old), lettered(t, latin1)} {
			got, _ := through(t, dir, in, "--include-trained")
			uncovered(t, []string{"as UTF-8", "as Latin-1"}[k], got, 120, saw)
		}
		got, _ := through(t, dir, lettered(t, latin1), "--include-trained", "--encoding", "latin-1")
		uncovered(t, "as it is", got, 120, saw)
	}
}

// Who is called something else than in training is known by a row of theirs.
func TestTrainedUnderOtherNames(t *testing.T) {
	dir := trained(t, lettered(t, letters(0, 240)), "--method codes --epsilon 5 --hidden 8 --person who")
	var rows []string // of each person a new row and then an old one, under another name
	for i := range 80 {
		rows = append(rows, fmt.Sprintf("mail%d,awful broken slow letter %d,bad,0", i, i), fmt.Sprintf("mail%d,%s", i, strings.SplitN(letters(3*i, 3*i+1)[0], ",", 2)[1]))
	}
	saw := learnt(t, dir) / 3 // persons, all of whose rows are in one part
	in := lettered(t, rows)
	got, _ := through(t, dir, in, "--person", "who", "--include-trained")
	uncovered(t, "under other names", got, 160, 2*saw)
	got, _ = through(t, dir, in, "--person", "who", "--skip-trained")
	uncovered(t, "left out", got, 160-2*saw, 0)
	code, out, errs := clitest.Sotto(t, strings.Join(append([]string{"who,text,stars,n"}, rows...), "\n"), "encode", "--model", dir, "--text", "text", "--in-format", "csv", "--person", "who", "--skip-trained")
	if code != command.ExitUse || out != "" || !strings.Contains(errs, "must be a file, which is read twice") {
		t.Errorf("standard input: exit code %d, %d bytes: %s", code, len(out), errs)
	}
}
