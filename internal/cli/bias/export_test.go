package bias

// What the tests look at inside.
const Simulated = simulated

type (
	EraseReport = eraseReport
	WeatReport  = weatReport
)

var DescribeDraws = describeDraws

func (d drawn) Text(format string) string { return d.text(format) }
