package audit

// Lower and Upper are the Clopper–Pearson bounds, for tests.
var (
	Lower = lower
	Upper = upper
)

// ParseAnswer is exported for fuzzing.
var ParseAnswer = parseAnswer
