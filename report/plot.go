package report

// plot is a drawing as data. It is drawn twice, for wide pages and for phones,
// so that its letters have a size that can be read on both.
type plot interface {
	svg(id string, width float64) string
}

// The widths of drawings, in units of which a letter is twelve high.
const (
	wideWidth   = 720
	narrowWidth = 350
)

// at is a place in a chart.
type at struct{ X, Y float64 }

// chart shows values over an axis.
type chart struct {
	Title, Desc string
	Heading     string // drawn above; "" for none
	X, Y        axis
	Limit       []at   // a curve above which nothing can be
	LimitName   string // what is said above it
	Levels      []level
	Lines       []line
	Series      []series
	Claims      bool // the key explains hollow marks
	Apart       bool // series stand a little beside each other
}

// axis is one direction of a chart. Low and High are its ends.
type axis struct {
	Label     string
	Low, High float64
	Log       bool // values of at most 0 and infinite ones then have a column each
	Percent   bool
	Decimals  int
}

// level is a line across the chart.
type level struct {
	Name  string
	Value float64
}

// line is a curve with a name beside it.
type line struct {
	Name string
	At   []at
}

// series are the points of one colour and shape.
type series struct {
	Name   string
	Runs   [][]dot // points of a run are joined
	Dashed bool
}

// dot is a measured point with its interval, NaN where there is none.
type dot struct {
	X, Y, Low, High float64
	Claimed         float64 // a hollow mark there is joined to X; NaN: none
	run             string  // what the points of a run have in common
	Tip             string
}

// dots shows values of named rows.
type dots struct {
	Title, Desc string
	Label       string // of the axis
	Percent     bool
	Levels      []level
	Keys        []string // names of the marks, by Key
	Bound       string   // what the tick of a row means; "" if there is none
	Rows        []dotRow
}

// dotRow is a row with its marks and a tick that they should not exceed.
type dotRow struct {
	Name  string
	Bound float64 // NaN: none
	Marks []rowMark
}

type rowMark struct {
	Key              int
	Value, Low, High float64
	Tip              string
}

// scatter shows points of the plane by group.
type scatter struct {
	Title, Desc string
	Heading     string
	Keys        []string // of the groups
	Points      []at
	Groups      []int // an index of Keys for each point
}
