package records

import (
	"sotto/study/link"
)

// Golden returns the row that stands for each cluster: of every column the value that
// most of its rows have, and of those the longest.
func Golden(rows [][]string, labels []int) [][]string {
	clusters := link.Clusters(labels)
	out := make([][]string, len(clusters))
	for c, nodes := range clusters {
		some := make([][]string, len(nodes))
		for k, i := range nodes {
			some[k] = rows[i]
		}
		out[c] = golden(some)
	}
	return out
}

// EachGolden calls visit with the row that stands for each cluster, as [Golden] has it,
// and how many rows it stands for, with one cluster in memory at a time.
func EachGolden(rows *rows, labels []int, visit func(size int, fields []string) error) error {
	for _, nodes := range link.Clusters(labels) {
		some := make([][]string, 0, len(nodes))
		for _, i := range nodes {
			if err := rows.Read(i, i+1, func(_ int, fields []string) error {
				some = append(some, fields)
				return nil
			}); err != nil {
				return err
			}
		}
		if err := visit(len(nodes), golden(some)); err != nil {
			return err
		}
	}
	return nil
}

// golden is the row that stands for some.
func golden(rows [][]string) []string {
	out := make([]string, len(rows[0]))
	for f := range out {
		count := map[string]int{}
		for _, row := range rows {
			v := row[f]
			if v == "" {
				continue
			}
			count[v]++
			best := out[f]
			if n, m := count[v], count[best]; best == "" || n > m || n == m && len(v) > len(best) {
				out[f] = v
			}
		}
	}
	return out
}
