package dataset

import (
	"fmt"
	"slices"
)

// adultLabelNames are the columns of UCI Adult that can be predicted: income
// and those with classes.
var adultLabelNames = []string{"income", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"}

// The classes of a label are the values of the file. These are the two columns
// whose values the features join.
var (
	adultSchools   = []string{"10th", "11th", "12th", "1st-4th", "5th-6th", "7th-8th", "9th", "Assoc-acdm", "Assoc-voc", "Bachelors", "Doctorate", "HS-grad", "Masters", "Preschool", "Prof-school", "Some-college"}
	adultCountries = []string{
		"Cambodia", "Canada", "China", "Columbia", "Cuba", "Dominican-Republic", "Ecuador", "El-Salvador", "England", "France", "Germany", "Greece", "Guatemala", "Haiti",
		"Holand-Netherlands", "Honduras", "Hong", "Hungary", "India", "Iran", "Ireland", "Italy", "Jamaica", "Japan", "Laos", "Mexico", "Nicaragua", "Outlying-US(Guam-USVI-etc)",
		"Peru", "Philippines", "Poland", "Portugal", "Puerto-Rico", "Scotland", "South", "Taiwan", "Thailand", "Trinadad&Tobago", "United-States", "Vietnam", "Yugoslavia",
	}
)

// adultTold names the column that tells a label almost by definition. Each of
// the 20,757 husbands and wives is married, all but 2 have the sex that the word
// says, and 98 of 100 who live in a marriage are husband or wife; education-num
// is the number of the class of education.
var adultTold = map[string]string{
	"education":      "education-num",
	"marital-status": "relationship",
	"relationship":   "marital-status",
	"sex":            "relationship",
}

// adultLabels gives the set a column for each label that is neither its own nor
// an attribute. It returns where their values come from, and the columns that
// remain features: without the labels, and without what tells them.
func (l *loader) adultLabels(s *Set, columns []adultColumn) (labels, features []adultColumn) {
	wanted := l.options.Labels
	features = columns
	for _, name := range wanted {
		i := slices.IndexFunc(columns, func(c adultColumn) bool { return c.name == name })
		if i >= 0 {
			labels = append(labels, columns[i])
			s.More = append(s.More, Column{Name: name, Classes: columns[i].values()})
		}
		told := adultTold[name]
		if told != "" && !slices.Contains(wanted, told) {
			l.notes = append(l.notes, fmt.Sprintf("%s is left out of the features, because it tells %s almost by definition", told, name))
		}
		features = slices.DeleteFunc(slices.Clone(features), func(c adultColumn) bool { return c.name == name || c.name == told })
	}
	return labels, features
}

// values are the classes of a label: those of the features, before any are
// joined.
func (c adultColumn) values() []string {
	switch c.name {
	case "education":
		return adultSchools
	case "native-country":
		return adultCountries
	}
	return c.classes
}
