package measure

import (
	"errors"
	"fmt"
)

// Outcomes are labels, predictions and groups, one of each for each row, with
// the names of the classes and groups that they number.
type Outcomes struct {
	Want, Got, Group []int
	Classes, Groups  []string
}

// validate reports outcomes that cannot be compared. It panics if the lengths
// differ.
func (o Outcomes) validate() error {
	sameLength("predictions", len(o.Got), len(o.Want))
	sameLength("groups", len(o.Group), len(o.Want))
	if len(o.Classes) < 2 || len(o.Groups) < 2 {
		return fmt.Errorf("measure: there are %d classes and %d groups, must be at least 2 of each", len(o.Classes), len(o.Groups))
	}
	known := false
	for i, y := range o.Want {
		if y >= len(o.Classes) || o.Got[i] >= len(o.Classes) || o.Group[i] >= len(o.Groups) {
			return fmt.Errorf("measure: row %d has a class or group without a name, must be below %d and %d", i, len(o.Classes), len(o.Groups))
		}
		known = known || y >= 0 && o.Group[i] >= 0
	}
	if !known {
		return errors.New("measure: label or group is unknown in all rows, both must be known in some")
	}
	return nil
}

// Intersect makes one attribute of several: row i belongs to the group
// (attributes[0][i], attributes[1][i], …), numbered with the last attribute
// varying fastest among the product of the sizes. A row of which one attribute
// is unknown is unknown. It panics if lengths differ or a value is not below
// its attribute's size.
func Intersect(sizes []int, attributes ...[]int) []int {
	if len(sizes) != len(attributes) || len(attributes) == 0 {
		panic(fmt.Sprintf("measure: %d sizes for %d attributes, must be as many and at least one", len(sizes), len(attributes)))
	}
	group := make([]int, len(attributes[0]))
	for a, values := range attributes {
		sameLength("values", len(values), len(group))
		for i, v := range values {
			switch {
			case v >= sizes[a]:
				panic(fmt.Sprintf("measure: row %d of attribute %d is outside its %d values", i, a, sizes[a]))
			case v < 0 || group[i] < 0:
				group[i] = -1
			default:
				group[i] = group[i]*sizes[a] + v
			}
		}
	}
	return group
}
