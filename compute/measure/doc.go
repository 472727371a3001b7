// Package measure says how good and how harmful predictions are: accuracy, what
// an attacker learns of an attribute from released vectors ([Leak]) and how many
// bits of it are left ([Probe.DescriptionLength]), how far groups of people are
// served differently ([CompareGroups]), the accuracy that an ε leaves room for
// ([Yardstick]), and intervals around all of it.
//
// It trains no model but the attacker's, reads no files and promises no
// privacy: a low leakage says that one attacker failed, and only a dp.Guarantee
// says that every attacker must.
//
// Labels, predictions and groups are slices of ints from 0. A negative label or
// group is unknown and its row does not count; a negative prediction is never
// right. The smallest use is
//
//	accuracy := measure.Accuracy(want, got)
//	leakage, err := measure.Leak(ctx, pool, measure.Probe{}, validation, test, 2)
package measure
