package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sotto/data/inspect"
	"sotto/data/table"
)

// look inspects CSV.
func look(t *testing.T, in io.Reader, o inspect.Options) *inspect.Report {
	t.Helper()
	r, err := table.New(in, table.Options{Format: table.CSV})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	report, err := inspect.Run(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// file is CSV with n rows that make makes.
func file(header string, n int, row func(i int) string) io.Reader {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return strings.NewReader(b.String())
}

func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		name     string
		value    func(i int) string // of 400 rows
		kind     inspect.Kind
		distinct int64
		empty    int64
		warning  string // in the warnings; "" for none
	}{
		{"texts", func(i int) string { return fmt.Sprintf("this is text number %d", i) }, inspect.Text, 400, 0, ""},
		{"texts without blanks", func(i int) string { return fmt.Sprintf("这是一个没有空格的文本%d", i) }, inspect.Text, 400, 0, ""},
		{"classes", func(i int) string { return []string{"good", "bad", "so so"}[i%3] }, inspect.Class, 3, 0, ""},
		{"answers", func(i int) string { return []string{"I rather agree with this", "I do not"}[i%2] }, inspect.Class, 2, 0, ""},
		{"stars", func(i int) string { return fmt.Sprint(i%5 + 1) }, inspect.Class, 5, 0, ""},
		{"stars as floats", func(i int) string { return fmt.Sprint(i%5+1) + ".0" }, inspect.Class, 5, 0, ""},
		{"a rare class", func(i int) string { return map[bool]string{true: "rare", false: "usual"}[i == 7] }, inspect.Class, 2, 0, "1 class with one row"},
		{"numbers", func(i int) string { return fmt.Sprint(i * i % 391) }, inspect.Number, 108, 0, "it is a number, not classes"},
		{"fractions", func(i int) string { return fmt.Sprint(float64(i) / 7) }, inspect.Number, 400, 0, ""},
		{"index from 0", func(i int) string { return fmt.Sprint(i) }, inspect.ID, 400, 0, "counts the rows"},
		{"index from 1", func(i int) string { return fmt.Sprint(i + 1) }, inspect.ID, 400, 0, "counts the rows"},
		{"keys", func(i int) string { return fmt.Sprintf("%x", uint32(i)*2654435761) }, inspect.ID, 400, 0, ""},
		{"persons", func(i int) string { return fmt.Sprintf("user%d", i*7%150) }, inspect.Person, 150, 0, "may say whose row it is"},
		{"dates", func(i int) string { return fmt.Sprintf("2024-%02d-%02d", i%12+1, i%28+1) }, inspect.Date, 84, 0, ""},
		{"times", func(i int) string { return fmt.Sprintf("2024-03-01T%02d:00:00Z", i%24) }, inspect.Date, 24, 0, ""},
		{"constant", func(int) string { return "en" }, inspect.Constant, 1, 0, "the same in every row"},
		{"empty", func(int) string { return " " }, inspect.Empty, 0, 400, "1 column is empty in every row: column \"a\""},
		{"mostly empty", func(i int) string { return []string{"xy", "", "", "x", "", ""}[i%6] }, inspect.Class, 2, 266, "1 column is empty in more than half of the rows: column \"a\""},
		{"numbers with a gap", func(i int) string { return map[bool]string{true: "n/a", false: fmt.Sprint(i * 3)}[i == 100] }, inspect.ID, 400, 0, "has numbers but for 1 row"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := look(t, file("a,text", 400, func(i int) string {
				return fmt.Sprintf("%s,another text with words %d", tt.value(i), i)
			}), inspect.Options{})
			c := r.Columns[0]
			if r.Rows != 400 || c.Name != "a" || c.Kind != tt.kind || c.Distinct != tt.distinct || c.Empty != tt.empty || c.Estimate {
				t.Errorf("%d rows, column %+v, want %s with %d values, %d empty", r.Rows, c, tt.kind, tt.distinct, tt.empty)
			}
			warnings := strings.Join(r.Warnings, "\n")
			if !strings.Contains(warnings, tt.warning) || (tt.warning == "" && warnings != "") {
				t.Errorf("warnings are %q, want %q", warnings, tt.warning)
			}
		})
	}
}

func TestRelations(t *testing.T) {
	in := file("id,text,label,label_name,again,part,user,,text2,text2", 300, func(i int) string {
		y := i * 7 % 3
		part := map[bool]string{true: "test", false: "train"}[i%5 == 0]
		return fmt.Sprintf("k%d,this is a text %d,%d,%s,k%d,%s,user_%d,x%d,a,b", i, i%290, y, []string{"no", "maybe", "yes"}[y], i, part, i/4, i)
	})
	r := look(t, in, inspect.Options{Split: "part", Person: "user", Show: 2})
	for _, want := range []string{
		`column "again" repeats column "id"`,
		`column "label" and column "label_name" are the same in other words`,
		`10 texts stand in several rows of column "text": 10 rows could go`,
		`column 8 has no name`,
		`column 10 is named "text2" as one before it`,
		`persons have rows in several parts`,
	} {
		if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("warnings lack %q:\n%s", want, strings.Join(r.Warnings, "\n"))
		}
	}
	if p := r.Persons; p == nil || p.Persons != 75 || p.Most != 4 || p.Median != 4 || p.Nobody != 0 {
		t.Errorf("persons are %+v, want 75 with 4 rows each", p)
	}
	if len(r.Parts) != 2 || r.Parts[0].Name != "train" || r.Parts[0].Rows != 240 {
		t.Errorf("parts are %+v, want 240 rows of train and 60 of test", r.Parts)
	}
	if want := (inspect.Roles{Text: "text", Label: "label", ID: "id", Split: "part", Person: "user"}); fmt.Sprint(r.Roles) != fmt.Sprint(want) {
		t.Errorf("roles are %+v, want %+v", r.Roles, want)
	}
	if len(r.Examples) != 2 || r.Examples[1][0] != "k1" {
		t.Errorf("examples are %q, want the first two rows", r.Examples)
	}
	if len(r.SHA256) != 64 {
		t.Errorf("hash is %q, want 64 digits", r.SHA256)
	}
}

// A text in two parts is a leak, one that stands twice in a part is none.
func TestAcross(t *testing.T) {
	in := file("text,part", 20, func(i int) string {
		return fmt.Sprintf("a text that is here and of so many words that it is no class %d,%s", i/2, map[bool]string{true: "test", false: "train"}[i == 1 || i > 17])
	})
	r := look(t, in, inspect.Options{Split: "part"})
	if len(r.Duplicates) != 1 || r.Duplicates[0] != (inspect.Duplicates{Column: "text", Texts: 10, Rows: 10, Across: 1}) {
		t.Errorf("duplicates are %+v, want 10 texts, of which one is in both parts", r.Duplicates)
	}
}

func TestCommands(t *testing.T) {
	r := look(t, file("review;it,gender,stars", 40, func(i int) string {
		return fmt.Sprintf("a review of some words %d,%s,%d", i, []string{"m", "f"}[i%2], i%5)
	}), inspect.Options{})
	got := r.Commands("my file's.csv", "--delimiter", ",")
	want := `sotto train --in 'my file'\''s.csv' --delimiter , --text 'review;it' --label stars --attribute gender --method auto --epsilon 4 --out model`
	if len(got) != 2 || got[1] != want {
		t.Errorf("commands are\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	r = look(t, file("a", 40, func(i int) string { return fmt.Sprintf("a text of words %d", i) }), inspect.Options{})
	if got := r.Commands("a.csv"); len(got) != 1 || !strings.HasPrefix(got[0], "sotto encode --in a.csv --text a ") {
		t.Errorf("commands are %q, want one that encodes", got)
	}
}

// A command is proposed that training accepts: parts that tear persons apart are
// left out, unless they were asked for.
func TestTornPersons(t *testing.T) {
	for _, tt := range []struct {
		torn  bool
		split string
		want  string
	}{
		{true, "", "--label mood --person user --target 0.8"},
		{false, "", "--label mood --split set --person user --target 0.8"},
		{true, "set", "--label mood --split set --person user --target 0.8"},
	} {
		r := look(t, file("text,mood,user,set", 240, func(i int) string {
			user, part := i/3, i/3
			if tt.torn {
				part = i
			}
			return fmt.Sprintf("a review of some words %d,%d,user_%d,%s", i%230, i%2, user, []string{"train", "dev", "test"}[part%3])
		}), inspect.Options{Split: tt.split})
		if p := r.Persons; p == nil || (p.Across > 0) != tt.torn || len(r.Parts) != 3 || len(r.Duplicates) != 1 || r.Duplicates[0].Across == 0 {
			t.Fatalf("persons are %+v, parts %+v, duplicates %+v, want them looked for across parts", p, r.Parts, r.Duplicates)
		}
		if got := r.Commands("a.csv")[0]; !strings.HasSuffix(got, tt.want) {
			t.Errorf("the command is %s, want %s at its end", got, tt.want)
		}
	}
}

// Where there are no texts, numbers are learnt from.
func TestNumbersAlone(t *testing.T) {
	r := look(t, file("height,weight,set,sex,result", 200, func(i int) string {
		return fmt.Sprintf("%d,%d.5,%d,%s,%s", i%97, i%89, i/3%9, []string{"f", "m"}[i%2], []string{"a", "b", "c"}[i%3])
	}), inspect.Options{})
	want := "sotto plan --in a.csv --numbers height,weight --label result --attribute sex --target 0.8"
	if got := r.Commands("a.csv"); len(got) != 2 || got[0] != want || len(r.Parts) > 0 {
		t.Errorf("commands are %q and parts %v, want %q first and no parts", got, r.Parts, want)
	}
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		in   string
		o    inspect.Options
		want string
	}{
		{"a,b\n", inspect.Options{}, "stdin: it has a line of names, but no row was found, must hold at least one"},
		{"a,b\n1,2\n", inspect.Options{Split: "c"}, `stdin: column is "c", must be one of a, b`},
		{"a,b\n1,2\n", inspect.Options{Person: "c"}, `stdin: column is "c", must be one of a, b`},
		{"a,b\n1,2\n", inspect.Options{Show: 1001}, "must be from 0 to 1000"},
		{"a,b\n1\n", inspect.Options{}, "stdin:2: it has 1 fields, must have 2"},
	} {
		r, err := table.New(strings.NewReader(tt.in), table.Options{Format: table.CSV})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := inspect.Run(t.Context(), r, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error = %v, want %q", tt.in, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := table.New(file("a,b", 9000, func(int) string { return "1,2" }), table.Options{Format: table.CSV})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inspect.Run(ctx, r, inspect.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want %v", err, context.Canceled)
	}
}

// rows yields n rows of twenty words without holding them.
type rows struct {
	i, n int
	rest []byte
}

func (r *rows) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.i > r.n {
			return 0, io.EOF
		}
		if r.i == 0 {
			r.rest = []byte("id,text,label,user\n")
		} else {
			r.rest = fmt.Appendf(r.rest[:0], "%d,w%d the quick brown fox jumps over the lazy dog and then it runs through fields of green grass again,%d,u%d\n", r.i*7, r.i, r.i%4, r.i%3000)
		}
		r.i++
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Beyond the bound, distinct values are estimated: the error of a sample of m
// values is at most 4.5/√m with probability above 1 − 10⁻⁵, and m is 2¹⁶ or so,
// more than 2¹⁵ with far greater probability. The hash is fixed, so the test is not
// random at all: it fails always or never.
func TestEstimate(t *testing.T) {
	if testing.Short() {
		t.Skip("reading 400,000 rows takes a second")
	}
	const n = 400_000
	r := look(t, &rows{n: n}, inspect.Options{Person: "user"})
	for _, name := range []string{"id", "text"} {
		i := slices.IndexFunc(r.Columns, func(c inspect.Column) bool { return c.Name == name })
		c := r.Columns[i]
		if !c.Estimate || math.Abs(float64(c.Distinct)-n) > 4.5/math.Sqrt(1<<15)*n {
			t.Errorf("column %+v, want about %d values", c, n)
		}
	}
	if p := r.Persons; p.Persons != 3000 || p.Estimate || p.Most != 134 {
		t.Errorf("persons are %+v, want 3000 exactly", p)
	}
	if len(r.Duplicates) != 0 {
		t.Errorf("duplicates are %+v, want none", r.Duplicates)
	}
}

// The live heap must not grow with the input: 100 MB are read, and it is held to
// what the hashes of two columns without repetition take.
func TestConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reading 55 MB takes seconds")
	}
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := int64(0)
	r, err := table.New(&rows{n: 500_000}, table.Options{Format: table.CSV})
	if err != nil {
		t.Fatal(err)
	}
	o := inspect.Options{Progress: func(n int64) {
		if n%(4096*40) == 0 {
			runtime.GC()
			runtime.ReadMemStats(&during)
			most = max(most, int64(during.HeapAlloc)-int64(before.HeapAlloc))
		}
	}}
	report, err := inspect.Run(t.Context(), r, o)
	if err != nil || report.Rows != 500_000 {
		t.Fatalf("Run = %+v, %v", report, err)
	}
	if most > 40<<20 || most == 0 {
		t.Errorf("the heap grew to %d bytes, want less than 40 MB", most)
	}
}

func BenchmarkInspect(b *testing.B) {
	const n = 100_000
	var text strings.Builder
	if _, err := io.Copy(&text, &rows{n: n}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		r, err := table.New(strings.NewReader(text.String()), table.Options{Format: table.CSV})
		if err != nil {
			b.Fatal(err)
		}
		if report, err := inspect.Run(b.Context(), r, inspect.Options{}); err != nil || report.Rows != n {
			b.Fatal(report, err)
		}
	}
}

func ExampleRun() {
	in := strings.NewReader("review,rating\nVery good food here,5\nThe worst food ever,1\nGood food as always,5\nIt was bad food,1\n")
	r, err := table.New(in, table.Options{Format: table.CSV})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	report, err := inspect.Run(context.Background(), r, inspect.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Columns {
		fmt.Println(c.Name, c.Kind, c.Distinct)
	}
	// Output:
	// review text 4
	// rating class 2
}

// A file without a header is read as if its first row were one, which its values
// give away.
func TestHeadless(t *testing.T) {
	for _, tt := range []struct {
		header string
		want   bool
	}{{"label,stars,words", false}, {"pos,stars,words", true}, {"label,3,words", true}, {",,this is a private text of mine", false}} {
		r := look(t, file(tt.header, 40, func(i int) string {
			return fmt.Sprintf("%s,%d,some words of text %d", []string{"pos", "neg"}[i%2], i%5, i)
		}), inspect.Options{})
		got := r.Commands("a.csv")
		if r.Headless != tt.want || (len(got) == 1 && got[0] == "sotto data inspect a.csv --no-header") != tt.want {
			t.Errorf("%s: headless is %v and the commands %q, want %v", tt.header, r.Headless, got, tt.want)
		}
		if strings.Contains(strings.Join(r.Warnings, "\n"), "private") {
			t.Errorf("%s: warnings quote a text:\n%s", tt.header, strings.Join(r.Warnings, "\n"))
		}
	}
}

func TestKeyTwice(t *testing.T) {
	r := look(t, file("key,text", 200, func(i int) string {
		return fmt.Sprintf("k%d,some words of text %d", min(i, 197), i)
	}), inspect.Options{})
	if r.Roles.ID != "" || !strings.Contains(strings.Join(r.Warnings, "\n"), `column "key" looks like a key, but 2 rows have one that was there before`) {
		t.Errorf("roles are %+v, warnings %q, want no key", r.Roles, r.Warnings)
	}
}

// TestPersonByLooks names the column of persons as no list of names does.
func TestPersonByLooks(t *testing.T) {
	var b strings.Builder
	b.WriteString("wer;Der Text\n")
	for i := range 200 {
		fmt.Fprintf(&b, "kunde-%c%c;Das ist die Nachricht mit der Nummer %d von hier\n", 'a'+i%13, 'a'+i%5, i)
	}
	report := look(t, strings.NewReader(b.String()), inspect.Options{})
	want := `column "wer" may say whose row it is`
	if !strings.Contains(strings.Join(report.Warnings, "\n"), want) || report.Roles.Person != "" {
		t.Errorf("warnings are %q and the person is %q, want %q and nobody", report.Warnings, report.Roles.Person, want)
	}
}
