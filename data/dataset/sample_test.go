package dataset_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/data/dataset"
)

var update = flag.Bool("update", false, "write the files anew")

// topic is what a message is about. The shares of topics differ, so that measures
// which count every class alike have something to say.
type topic struct {
	name  string
	share float64
	says  []string // {n} is one of nouns, {v} of verbs
	nouns []string
	verbs []string
}

var topics = []topic{
	{"delivery", 0.34, []string{
		"the {n} {v} on the way and nobody can tell me where it is", "my {n} was to arrive on Tuesday and it {v}",
		"the driver {v} and left my {n} with somebody I do not know", "according to the tracking page my {n} {v} since last week",
	}, []string{"parcel", "order", "shipment", "package", "sofa", "bookcase"}, []string{"got stuck", "has not moved", "never came", "went missing", "was delayed"}},
	{"billing", 0.26, []string{
		"the {n} shows an amount that I never agreed to and {v}", "you {v} and my {n} says so in black and white",
		"I asked for a corrected {n} because you {v}", "there is a second charge on my {n} and you {v}",
	}, []string{"invoice", "bank statement", "card statement", "bill", "receipt"}, []string{"charged me twice", "took the money too early", "forgot my discount", "added a fee", "used the wrong tax rate"}},
	{"returns", 0.20, []string{
		"I sent the {n} back and still {v}", "the {n} does not fit and I {v}",
		"please tell me how to return the {n}, because I {v}", "my refund for the {n} is missing and I {v}",
	}, []string{"jacket", "boots", "lamp", "kettle", "coat", "headphones"}, []string{"wait for a refund", "want to exchange it", "need a return label", "would like my money back", "lost the return form"}},
	{"technical", 0.14, []string{
		"the {n} {v} whenever I switch it on", "since the update the {n} {v} every hour",
		"I followed the manual and the {n} still {v}", "after ten minutes the {n} {v} and shows an error code",
	}, []string{"router", "printer", "screen", "tablet", "speaker", "app"}, []string{"crashes", "freezes", "overheats", "loses the connection", "restarts by itself"}},
	{"account", 0.06, []string{
		"I cannot log in because my {n} {v}", "the page says that my {n} {v}", "I changed my {n} and now it {v}",
	}, []string{"password", "user name", "email address", "login code"}, []string{"is not accepted", "was reset", "is locked", "is unknown"}},
}

// habits are phrases by which writers of two ages differ, four times in a message.
var habits = [][2][]string{
	{{"hey", "hi there", "hiya"}, {"dear Sir or Madam", "good morning", "to whom it may concern"}},
	{{"just so you know", "no joke", "honestly"}, {"I regret to say that", "I must inform you that", "I wish to point out that"}},
	{{"can you sort it asap", "pls fix this", "what's up with that"}, {"kindly look into it", "I would be grateful for your help", "please attend to it without delay"}},
	{{"cheers", "thx", "later"}, {"yours faithfully", "kind regards", "with best wishes"}},
}

var ages = []string{"under 40", "40 and over"}

// habit is how often a writer takes a phrase of their own age.
const habit = 0.75

// file says what is written.
type file struct {
	seed            uint64
	rows, customers int
	id, customer    int       // of those that come first
	from            time.Time // when
	hours           int       // that pass between two at most
	without         string    // no text of this
}

var (
	learnt   = file{seed: 1, rows: 500, customers: 230, from: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC), hours: 12}
	released = file{seed: 2, rows: 200, customers: 120, id: 500, customer: 230, from: time.Date(2026, 5, 18, 0, 0, 0, 0, time.UTC), hours: 4}
)

// write makes a file: the same one always.
func write(f file) string {
	rng := weakrand.New(weakrand.NewPCG(500, f.seed))
	pick := func(from []string) string { return from[rng.IntN(len(from))] }
	// Some customers write once and some often; each has one age.
	age := make([]int, f.customers)
	for i := range age {
		age[i] = rng.IntN(2)
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	put := func(row ...string) {
		if err := w.Write(row); err != nil {
			panic(err)
		}
	}
	put(dataset.SampleColumns...)
	day := f.from
	for i := 0; i < f.rows; {
		customer := min(rng.IntN(f.customers), rng.IntN(f.customers))
		u := rng.Float64()
		t := topics[len(topics)-1]
		for _, one := range topics {
			if u -= one.share; u < 0 {
				t = one
				break
			}
		}
		of := func(slot int) string {
			z := age[customer]
			if rng.Float64() >= habit {
				z = 1 - z
			}
			return pick(habits[slot][z])
		}
		said := strings.NewReplacer("{n}", pick(t.nouns), "{v}", pick(t.verbs)).Replace(pick(t.says))
		text := fmt.Sprintf("%s, %s %s, %s, %s", of(0), of(1), said, of(2), of(3))
		text = strings.ToUpper(text[:1]) + text[1:] + "."
		if f.without != "" && strings.Contains(f.without, text) {
			continue
		}
		i++
		day = day.Add(time.Duration(rng.IntN(f.hours)) * time.Hour)
		put(fmt.Sprintf("m%04d", f.id+i), fmt.Sprintf("c%03d", f.customer+customer+1), day.Format(time.DateOnly), text, t.name, ages[age[customer]])
	}
	w.Flush()
	return out.String()
}

func TestFiles(t *testing.T) {
	released.without = write(learnt)
	read := func(name, holds string, f file) (rows [][]string) {
		made := write(f)
		if *update {
			if err := os.WriteFile(name, []byte(made), 0o644); err != nil {
				t.Fatal(err)
			}
			return nil
		}
		if holds != made {
			t.Fatalf("%s is not what the test writes: go test ./data/dataset -update", name)
		}
		rows, err := csv.NewReader(strings.NewReader(holds)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != f.rows+1 || !slices.Equal(rows[0], dataset.SampleColumns) {
			t.Fatalf("%s: there are %d rows after the header %q, want %d after %q", name, len(rows)-1, rows[0], f.rows, dataset.SampleColumns)
		}
		return rows[1:]
	}
	old, fresh := read(dataset.SampleName, dataset.SampleMessages(), learnt), read(dataset.SampleNewName, dataset.SampleNewMessages(), released)
	classes, seen := map[string]int{}, map[string]bool{}
	for _, row := range old {
		classes[row[4]]++
		seen[row[0]], seen[row[1]], seen[row[3]] = true, true, true
	}
	for _, row := range fresh {
		if row[2] < old[len(old)-1][2] || seen[row[0]] || seen[row[1]] || seen[row[3]] {
			t.Errorf("%s is of a message or a writer of %s", row[0], dataset.SampleName)
		}
	}
	if !*update && (len(classes) != len(topics) || classes["account"] < 20) {
		t.Errorf("there are the classes %v, want all topics", classes)
	}
}
