package dataset

// Layout says what the columns of a file of one's own are, and how its rows
// become parts: all that is needed to read it again, but never where it lies.
// Its tags are those of the settings of package experiment.
type Layout struct {
	Text    string   `json:"text,omitempty" flag:"text" help:"column of the texts of --in (also --column)"`
	Numbers []string `json:"numbers,omitempty" flag:"numbers" help:"columns of numbers of --in, separated by commas, that are features beside the texts or without any"`
	// Attributes are protected, or attacked; the first one unless another is named.
	Attributes []string `json:"attributes,omitempty" flag:"attributes" help:"columns of attributes of --in, separated by commas; the first is protected unless --attribute names another"`
	ID         string   `json:"id,omitempty" flag:"id" help:"column of --in that tells rows apart; a value that occurs twice is refused"`
	Split      string   `json:"split,omitempty" flag:"split" help:"column of --in with train, validation or test for each row (default: 60, 20 and 20 percent of each class, drawn)"`
	// SplitSeed is what drawn parts depend on, so that the seed of a training
	// changes no part.
	SplitSeed uint64 `json:"split_seed,omitempty" flag:"split-seed" help:"seed of the parts that are drawn without --split (default 0)"`
	// Person is the column of who a row is of. Rows of a person are never in two
	// parts that are drawn.
	Person string `json:"person,omitempty" flag:"person" help:"column of --in that names whose row it is; the rows of a person stay in one part"`
	// PersonExact keeps names of persons apart that differ in capitals, spaces or the form
	// of letters alone.
	PersonExact bool `json:"person_exact,omitempty" flag:"person-exact" help:"take names of --person as they are (default: names that differ in capitals, spaces or the form of letters alone are one person's)"`
	// LinkBy are columns by which rows are found to be of one person, where no column
	// says so, or where a person has several values of Person. LinkModel is what
	// decides: a model that "sotto link records" saved, or nothing for what the rows
	// themselves tell.
	LinkBy    []string  `json:"link_by,omitempty" flag:"link-by" help:"columns of --in, separated by commas, such as name,email, by which rows are linked to persons; who is one is then an estimate"`
	LinkModel LinkModel `json:"link_model,omitempty" flag:"link-model" help:"file of the model that decides which rows --link-by links, made by sotto link records --save-model (default: what the rows themselves tell)"`
	// MaxRows bounds the rows of a person that are read, the first ones of the file.
	MaxRows int `json:"max_rows,omitempty" flag:"max-rows" help:"number of rows of each --person, or of each cluster of --link-by, of --in that are read, the first ones (default: all)"`

	Format    string `json:"format,omitempty" flag:"in-format" help:"format of --in: csv, tsv, jsonl, parquet, text, fasttext or folder (default: as its name and content say)"`
	Delimiter string `json:"delimiter,omitempty" flag:"delimiter" help:"character between the fields of --in, or tab (default: found in the file)"`
	Encoding  string `json:"encoding,omitempty" flag:"encoding" help:"encoding of the characters of --in, such as utf-8, utf-16 or latin-1 (default: found in the file)"`
	NoHeader  bool   `json:"no_header,omitempty" flag:"no-header" help:"take the first line of --in for a row, and name columns 1, 2, and so on"`
}

// Columns lists the columns that a layout names, with the given labels, each
// with what it is for.
func (l Layout) Columns(labels []string) []RoleOf {
	var all []RoleOf
	add := func(role string, names ...string) {
		for _, name := range names {
			if name != "" {
				all = append(all, RoleOf{role, name})
			}
		}
	}
	add("text", l.Text)
	add("label", labels...)
	add("attribute", l.Attributes...)
	add("numbers", l.Numbers...)
	add("id", l.ID)
	add("split", l.Split)
	add("person", l.Person)
	add("link-by", l.LinkBy...)
	return all
}

// RoleOf is what a column is for.
type RoleOf struct {
	Role   string // as the flag is called
	Column string
}
