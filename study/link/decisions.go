package link

import (
	"strconv"

	"sotto/data/table"
)

// What a row of a file of decisions says of its pair.
const (
	same  = "same"  // the two must share a cluster
	Apart = "apart" // they must not
)

// Decisions reads what a person has decided of pairs: rows with the columns i, j and
// decision, which is same or apart. Other columns, such as what the two look like, are
// not read. A pair that stands twice must say the same.
func (f *GraphFile) Decisions(path string) (must, cannot []Pair, err error) {
	said := make(map[Pair]string)
	err = rows(path, []string{"i", "j", "decision"}, nil, func(r *table.Reader, row, _ []string) error {
		var p Pair
		for k := range p {
			node, unknown := f.Node(row[k])
			if unknown != nil {
				return r.Bad(unknown.Error())
			}
			p[k] = node
		}
		if p[0] == p[1] {
			return r.Bad("i and j are one node, must be two")
		}
		p = Pair{min(p[0], p[1]), max(p[0], p[1])}
		if before, ok := said[p]; ok && before != row[2] {
			return r.Bad("the pair was decided otherwise in a row above, must be decided once")
		} else if ok {
			return nil
		}
		said[p] = row[2]
		switch row[2] {
		case same:
			must = append(must, p)
		case Apart:
			cannot = append(cannot, p)
		default:
			return r.Bad("decision must be " + same + " or " + Apart)
		}
		return nil
	})
	return must, cannot, err
}

// GraphRows returns a file without edges whose nodes are the rows of a table, named by their
// numbers from 0, so that files about rows can be read.
func GraphRows(n int) *GraphFile {
	f := &GraphFile{node: make(map[string]int, n)}
	for i := range n {
		f.enter(strconv.Itoa(i))
	}
	return f
}
