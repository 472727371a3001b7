package dataset

import "strconv"

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
	user := newOpen("user")
	names := []string{"split", "topic", "age_group", "gender", "user", "text"}
	err := l.table(blogTopics, names, func(n int, f []string) error {
		if err := s.addPart(blogTopics, n, f[0]); err != nil {
			return err
		}
		if err := s.Label.addDigit(blogTopics, n, f[1], 0); err != nil {
			return err
		}
		if err := age.add(blogTopics, n, f[2]); err != nil {
			return err
		}
		user.add(f[4])
		s.Text = append(s.Text, f[5])
		return gender.add(blogTopics, n, f[3])
	})
	if err != nil {
		return nil, err
	}
	s.Attributes = []Column{age, gender, user.sorted()}
	return l.finish(s), nil
}

// loadBlogIndustry reads posts with the author's industry as label. No author
// stands in two parts.
func loadBlogIndustry(l *loader) (*Set, error) {
	s := &Set{}
	industry, sign, user := newOpen("industry"), newOpen("sign"), newOpen("user")
	age := Column{Name: "age_group", Classes: []string{"10s", "20s", "30s+"}}
	gender := Column{Name: "gender", Classes: []string{"F", "M"}}
	names := []string{"split", "user", "gender", "age", "industry", "sign", "date", "text"}
	err := l.table(blogIndustry, names, func(n int, f []string) error {
		if err := s.addPart(blogIndustry, n, f[0]); err != nil {
			return err
		}
		years, err := strconv.Atoi(f[3])
		if err != nil || years < 10 {
			return fault(blogIndustry, n, "age is no number from 10")
		}
		age.IDs = append(age.IDs, min(years/10-1, 2))
		user.add(f[1])
		industry.add(f[4])
		sign.add(f[5])
		s.Text = append(s.Text, f[7])
		return gender.add(blogIndustry, n, f[2])
	})
	if err != nil {
		return nil, err
	}
	s.Label = industry.sorted()
	s.Attributes = []Column{age, gender, sign.sorted(), user.sorted()}
	return l.finish(s), nil
}
