package dataset

import (
	"cmp"
	"errors"
	"strconv"
)

const (
	blogTopics   = "blog_authorship/blog_lda_topics.tsv"
	blogIndustry = "blog_authorship/blog_industry.tsv"
)

// loadBlogTopics reads the reconstruction of BLOG: the dominant topic of a post,
// with the author's age group, gender and number. Authors cross the parts, as
// in the paper.
func loadBlogTopics(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "topic", Classes: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}}
	age := Column{Name: "age_group", Classes: []string{"10s", "30s+"}}
	gender := Column{Name: "gender", Classes: []string{"F", "M"}}
	var users []string
	names := []string{"split", "topic", "age_group", "gender", "user", "text"}
	err := l.table(blogTopics, names, func(f []string) error {
		users, s.Text = append(users, f[4]), append(s.Text, f[5])
		return cmp.Or(s.addPart(f[0]), s.Label.addDigit(f[1], 0), age.add(f[2]), gender.add(f[3]))
	})
	s.Attributes = []Column{age, gender, columnOf("user", users)}
	return l.finish(s, err)
}

// loadBlogIndustry reads posts with the author's industry as label. No author
// stands in two parts.
func loadBlogIndustry(l *loader) (*Set, error) {
	s := &Set{}
	var industries, signs, users []string
	age := Column{Name: "age_group", Classes: []string{"10s", "20s", "30s+"}}
	gender := Column{Name: "gender", Classes: []string{"F", "M"}}
	names := []string{"split", "user", "gender", "age", "industry", "sign", "date", "text"}
	err := l.table(blogIndustry, names, func(f []string) error {
		years, err := strconv.Atoi(f[3])
		if err != nil || years < 10 {
			return errors.New("age is no number from 10")
		}
		age.IDs = append(age.IDs, min(years/10-1, 2))
		users, industries, signs = append(users, f[1]), append(industries, f[4]), append(signs, f[5])
		s.Text = append(s.Text, f[7])
		return cmp.Or(s.addPart(f[0]), gender.add(f[2]))
	})
	s.Label = columnOf("industry", industries)
	s.Attributes = []Column{age, gender, columnOf("sign", signs), columnOf("user", users)}
	return l.finish(s, err)
}
