package gate_test

import (
	"fmt"
	"strings"

	"sotto/report"
	"sotto/report/gate"
)

func ExamplePolicy_Judge() {
	policy, err := gate.Parse(strings.NewReader(`{"rules": [{"name": "budget", "epsilon": {"max": 2}, "claim": "true"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := report.Kinds().New()
	if err != nil {
		fmt.Println(err)
		return
	}
	err = found.Add("audit.json", strings.NewReader(`{"format": "sotto-audit-1", "mechanism": "laplace-l1", "variant": "released",
		"dim": 4, "unit": "text", "claimed": 2, "true": 4, "delta": 0, "lower_bound": 3.4, "confidence": 0.99, "refuted": true,
		"method": "event", "draws": 100000, "event_bound": 3.4}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := policy.Judge(found)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verdict.Passed)
	for _, reason := range verdict.Reasons {
		fmt.Println(reason)
	}
	// Output:
	// false
	// budget: audit of laplace-l1 released: true ε is 4 (text), allowed at most 2
	// budget: audit of laplace-l1 released: claimed ε is 2, true ε is 4 (text)
}
