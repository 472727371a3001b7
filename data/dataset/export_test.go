package dataset

import "testing/fstest"

// Parse runs the parser of a set over files given by path, without checking
// their counts.
func Parse(files map[string]string, name string, o Options) (*Set, error) {
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	fsys := fstest.MapFS{}
	for path, data := range files {
		fsys[path] = &fstest.MapFile{Data: []byte(data)}
	}
	s, _, err := e.parse(fsys, o)
	return s, err
}

// Pick returns a set of the given rows alone.
func Pick(s *Set, rows []int) *Set { return s.pick(rows) }

// Seeded splits rows into the given percentages of training and validation.
func Seeded(n, train, validation int, seed uint64) []Part {
	return shares{train, validation}.split(n, seed)
}

// Known are the files of the catalogue.
var Known = known

// UserData is the folder of data sets of a user without SOTTO_DATA.
func UserData(system string, env func(string) string) string { return userData(system, env) }
