package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	airlineFile    = "airline/Tweets.csv"
	trustpilotFile = "trustpilot_dk_en/denmark_english_reviews.csv"
)

// loadAirline reads tweets about airlines. A tweet whose number occurs twice
// never crosses parts.
func loadAirline(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "sentiment", Classes: []string{"negative", "neutral", "positive"}}}
	airline := Column{Name: "airline", Classes: []string{"American", "Delta", "Southwest", "US Airways", "United", "Virgin America"}}
	var numbers []string
	names := []string{"tweet_id", "airline_sentiment", "airline", "text"}
	err := l.records(airlineFile, names, func(f []string) error {
		numbers, s.Text = append(numbers, f[0]), append(s.Text, f[3])
		return cmp.Or(s.Label.add(f[1]), airline.add(f[2]))
	})
	s.Attributes = []Column{airline}
	s.Split = eighty.splitGroups(numbers, l.options.Seed)
	return l.finish(s, err)
}

// loadTrustpilot reads reviews with a rating from 1 to 5 and the author's gender
// and age bucket.
func loadTrustpilot(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "rating", Classes: []string{"1", "2", "3", "4", "5"}}}
	gender := Column{Name: "gender", Classes: []string{"F", "M"}}
	age := Column{Name: "age_bucket", Classes: []string{"0", "1", "2", "3"}}
	names := []string{"text", "age_bucket", "gender", "rating"}
	err := l.records(trustpilotFile, names, func(f []string) error {
		s.Text = append(s.Text, f[0])
		return cmp.Or(age.addDigit(f[1], 0), gender.add(f[2]), s.Label.addDigit(f[3], 1))
	})
	s.Attributes = []Column{gender, age}
	s.Split = eighty.split(len(s.Text), l.options.Seed)
	return l.finish(s, err)
}

// loadDialect reads tweets with the posteriors of Blodgett's dialect model. The
// protected attribute is AAE where p_aa > p_white, SAE where p_aa < p_white, and
// unknown where they are equal or not given. Blodgett's threshold of 0.8 would
// leave at most 46 tweets. The variant "skewed" is Twitter's 40/10/10/40: the
// last class stands with AAE, the first with SAE, and other classes are left
// out.
//
// The file of sentiments has no training part, so it is split 60/20/20.
func loadDialect(label string, classes ...string) func(*loader) (*Set, error) {
	return func(l *loader) (*Set, error) {
		s := &Set{Label: Column{Name: label, Classes: classes}}
		dialect := Column{Name: "dialect", Classes: []string{"SAE", "AAE"}}
		unknown := 0
		names := []string{"split", "label", "text", "p_aa", "p_hisp", "p_other", "p_white"}
		err := l.table(l.info.Files[0].Path, names, func(f []string) error {
			id, err := dialectOf(f[3], f[6])
			if id == Unknown {
				unknown++
			}
			dialect.IDs = append(dialect.IDs, id)
			s.Text = append(s.Text, f[2])
			return cmp.Or(s.addPart(f[0]), err, s.Label.addDigit(f[1], 0))
		})
		s.Attributes = []Column{dialect}
		if !slices.Contains(s.Split, Train) {
			s.Split = published.split(len(s.Text), l.options.Seed)
		}
		if unknown > 0 {
			l.notes = append(l.notes, fmt.Sprintf("the dialect of %d tweets in the file is unknown", unknown))
		}
		if s, err = l.finish(s, err); err == nil && l.options.Variant == "skewed" {
			return s.skew(l.options.Seed)
		}
		return s, err
	}
}

// dialectOf decides between the two posteriors.
func dialectOf(aa, white string) (int, error) {
	if aa == "" && white == "" {
		return Unknown, nil
	}
	a, errA := strconv.ParseFloat(aa, 64)
	w, errW := strconv.ParseFloat(white, 64)
	if errA != nil || errW != nil || !(a >= 0 && a <= 1) || !(w >= 0 && w <= 1) {
		return 0, errors.New("p_aa or p_white is no probability")
	}
	switch {
	case a > w:
		return 1, nil
	case a < w:
		return 0, nil
	}
	return Unknown, nil
}

// loadMoji reads happy and sad tweets in African American English. There is no
// attribute, because the other dialect is missing. A text that stands in both
// files, or twice in one, never crosses parts.
func loadMoji(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "sentiment", Classes: []string{"sad", "happy"}}}
	happy := map[string]bool{}
	both := 0
	for k, f := range l.info.Files {
		err := l.each(f.Path, func(line string) error {
			line = strings.TrimSpace(line)
			switch {
			case k == 0:
				happy[line] = true
			case happy[line]:
				both++
			}
			s.Text = append(s.Text, line)
			s.Label.IDs = append(s.Label.IDs, 1-k)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if both > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%d sad tweets also stand among the happy ones", both))
	}
	s.Split = eighty.splitGroups(s.Text, l.options.Seed)
	return l.finish(s, nil)
}
