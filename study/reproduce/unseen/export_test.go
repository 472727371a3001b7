package unseen

// Take makes cells of one public set.
func (o *Options) Take(name string, most int) {
	o.sources = []Source{{Name: name, most: most, each: 1, opinion: true}}
}

// What the tests look at inside.
var Sentences = sentences
