package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// adultColumn is a column of UCI Adult that becomes features: one for a number,
// scaled to [-1, 1] by the range of the 45,222 complete rows, or one a class.
type adultColumn struct {
	name    string
	place   int
	low, hi float64  // of a number
	classes []string // of a class
	always  bool     // among the nine attributes
}

// adultColumns are the twelve columns that the released code of FEDERATE uses,
// in its order. The paper counts nine attributes. Those that are not marked,
// capital-gain, capital-loss and fnlwgt, are the ones whose removal leaves nine,
// and fnlwgt is a weight of the census, not a property of the person.
func adultColumns() []adultColumn {
	return []adultColumn{
		{name: "workclass", place: 1, always: true, classes: []string{"Federal-gov", "Local-gov", "Private", "Self-emp-inc", "Self-emp-not-inc", "State-gov", "Without-pay"}},
		{name: "education", place: 3, always: true, classes: []string{"Assoc-acdm", "Assoc-voc", "Bachelors", "Doctorate", "HS-grad", "Masters", "Prof-school", "Some-college", "high-school", "prim-middle-school"}},
		{name: "marital-status", place: 5, always: true, classes: []string{"Divorced", "Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent", "Never-married", "Separated", "Widowed"}},
		{name: "occupation", place: 6, always: true, classes: []string{"Adm-clerical", "Armed-Forces", "Craft-repair", "Exec-managerial", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Other-service", "Priv-house-serv", "Prof-specialty", "Protective-serv", "Sales", "Tech-support", "Transport-moving"}},
		{name: "relationship", place: 7, always: true, classes: []string{"Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried", "Wife"}},
		{name: "native-country", place: 13, always: true, classes: []string{"NonUS", "US"}},
		{name: "age", place: 0, low: 17, hi: 90, always: true},
		{name: "education-num", place: 4, low: 1, hi: 16, always: true},
		{name: "capital-gain", place: 10, low: 0, hi: 99999},
		{name: "capital-loss", place: 11, low: 0, hi: 4356},
		{name: "hours-per-week", place: 12, low: 1, hi: 99, always: true},
		{name: "fnlwgt", place: 2, low: 13492, hi: 1490400},
	}
}

// adultEducation joins the rare values, as FEDERATE after Wu et al. (2019).
var adultEducation = map[string]string{
	"Preschool": "prim-middle-school", "1st-4th": "prim-middle-school", "5th-6th": "prim-middle-school", "7th-8th": "prim-middle-school",
	"9th": "high-school", "10th": "high-school", "11th": "high-school", "12th": "high-school",
}

// loadAdult reads UCI Adult. Rows with a missing value are dropped. The
// variant "published" has the nine attributes as 49 columns and the split
// 60/20/20; "released" has twelve attributes as 52 columns and 72/8/20. Labels
// and what tells them leave the features: see adultTold.
func loadAdult(l *loader) (*Set, error) {
	columns, parts := adultColumns(), released
	if l.options.Variant == "published" {
		columns = slices.DeleteFunc(columns, func(c adultColumn) bool { return !c.always })
		parts = published
	}
	s := &Set{
		Label: Column{Name: "income", Classes: []string{"<=50K", ">50K"}},
		Attributes: []Column{
			{Name: "sex", Classes: []string{"Female", "Male"}},
			{Name: "race", Classes: []string{"Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"}},
			{Name: "age", Classes: []string{"under 30", "30-44", "45-59", "60 and over"}},
		},
	}
	labels, columns := l.adultLabels(s, columns)
	for _, c := range columns {
		if c.classes == nil {
			s.FeatureNames = append(s.FeatureNames, c.name)
		}
		for _, class := range c.classes {
			s.FeatureNames = append(s.FeatureNames, c.name+"_"+class)
		}
	}
	s.Width = len(s.FeatureNames)
	for _, f := range l.info.Files {
		err := l.each(f.Path, func(line string) error {
			if strings.HasPrefix(line, "|") { // the first line of adult.test
				return errNoRecord
			}
			record := strings.Split(line, ",")
			if len(record) != 15 {
				return fmt.Errorf("it has %d fields, must have 15", len(record))
			}
			for k := range record {
				record[k] = strings.TrimSpace(record[k])
			}
			if slices.Contains(record, "?") {
				return nil
			}
			return s.addAdult(record, labels, columns)
		})
		if err != nil {
			return nil, err
		}
	}
	s.Split = parts.split(len(s.Label.IDs), l.options.Seed)
	return l.finish(s, nil)
}

// addAdult appends one complete record. The columns of More are those of
// labels.
func (s *Set) addAdult(record []string, labels, columns []adultColumn) error {
	err := cmp.Or(s.Label.add(strings.TrimSuffix(record[14], ".")), s.Attributes[0].add(record[9]), s.Attributes[1].add(record[8]))
	for k, c := range labels {
		err = cmp.Or(err, s.More[k].add(record[c.place]))
	}
	age, noAge := strconv.Atoi(record[0])
	if noAge != nil {
		err = cmp.Or(err, errors.New("age is no number"))
	}
	if err != nil {
		return err
	}
	bucket := 0
	for _, from := range []int{30, 45, 60} {
		if age >= from {
			bucket++
		}
	}
	s.Attributes[2].IDs = append(s.Attributes[2].IDs, bucket)
	for _, c := range columns {
		x, err := c.features(record[c.place])
		if err != nil {
			return err
		}
		s.Features = append(s.Features, x...)
	}
	return nil
}

// features turns one value into numbers.
func (c adultColumn) features(value string) ([]float32, error) {
	if c.classes == nil {
		x, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("%s is no number", c.name)
		}
		if v := float64(x); !(v >= c.low && v <= c.hi) {
			return nil, fmt.Errorf("%s is out of range, must be from %v to %v", c.name, c.low, c.hi)
		}
		return []float32{float32(2*(float64(x)-c.low)/(c.hi-c.low) - 1)}, nil
	}
	switch {
	case c.name == "native-country" && value == "United-States":
		value = "US"
	case c.name == "native-country":
		value = "NonUS"
	case c.name == "education" && adultEducation[value] != "":
		value = adultEducation[value]
	}
	id := slices.Index(c.classes, value)
	if id < 0 {
		return nil, fmt.Errorf("%s is no known class, must be one of %q", c.name, c.classes)
	}
	x := make([]float32, len(c.classes))
	x[id] = 1
	return x, nil
}
