package aec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"

	"sotto/data/dataset"
)

// classes are those of both sets, in this order.
var classes = []string{"negative", "neutral", "positive"}

// published are the sizes that the paper prints, by class.
var (
	publishedFilms  = [3]int{3304, 1622, 3605}
	publishedTweets = [3]int{7366, 2451, 1847}
)

// sample is texts with their classes.
type sample struct {
	texts  []string
	labels []int
}

// counts returns how many texts each class has.
func (s sample) counts() (n [3]int) {
	for _, y := range s.labels {
		n[y]++
	}
	return n
}

func (s *sample) add(text string, label int) {
	s.texts, s.labels = append(s.texts, text), append(s.labels, label)
}

// films returns the sentences that the base is trained on and those by which it is
// chosen: five classes become three, and of texts with the same letters and digits
// the first stays.
func films(dir string) (train, dev sample, err error) {
	set, err := dataset.Load("sst5", dataset.Options{Dir: dir})
	if err != nil {
		return train, dev, err
	}
	three := [5]int{0, 0, 1, 2, 2}
	seen := map[string]bool{}
	for i, text := range set.Text {
		label := three[set.Label.IDs[i]]
		switch set.Split[i] {
		case dataset.Train:
			if key := letters(text); !seen[key] {
				seen[key] = true
				train.add(text, label)
			}
		case dataset.Validation:
			dev.add(text, label)
		case dataset.Test: // which nobody looks at
		}
	}
	return train, dev, nil
}

// tweets returns as many texts of each class as the paper has. Which of the 14,640
// it took is not said: no filter of the file's columns gives its numbers, and so many
// at random of those that stand there once do within two standard deviations. So these
// are drawn by a seed, as many of each class as were published.
func tweets(dir string, seed uint64) (sample, error) {
	set, err := dataset.Load("airline", dataset.Options{Dir: dir})
	if err != nil {
		return sample{}, err
	}
	var places [3][]int
	seen := map[string]bool{}
	for i, text := range set.Text {
		if !seen[text] {
			seen[text] = true
			label := set.Label.IDs[i]
			places[label] = append(places[label], i)
		}
	}
	kept := map[int]bool{}
	for label, all := range places {
		want := publishedTweets[label]
		if len(all) < want {
			return sample{}, fmt.Errorf("aec: %d tweets are %s, must be at least %d", len(all), classes[label], want)
		}
		rng := rand.New(rand.NewPCG(seed, uint64(label)))
		for _, k := range rng.Perm(len(all))[:want] {
			kept[all[k]] = true
		}
	}
	var s sample
	for i, text := range set.Text {
		if kept[i] {
			s.add(text, set.Label.IDs[i])
		}
	}
	return s, nil
}

// letters is a text by which near duplicates are told.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
