// Package forest is Breiman's random forest of two classes on sparse tables: trees
// grown without limit on samples of the rows, each split the best of a few features
// by the Gini impurity, and the probability of a row the mean of its leaves.
//
// It does what scikit-learn's RandomForestClassifier does by default, without its
// random numbers: oracle.py and make forest-oracle compare the two. It is for
// thousands of rows and features of which most are 0, not for images or for
// regression. Every result is the same for any number of workers. The smallest use
// is
//
//	m, err := forest.NewMatrix(columns, rows)
//	f, err := forest.Options{}.Fit(ctx, m, nn.Indices(len(rows)), wrong, 2)
//	p := f.Predict(m, test, 2)
package forest
