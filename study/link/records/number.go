package records

import (
	"math"
	"strconv"
	"strings"
)

// parseNumber reads a field that is one number, perhaps with a currency, a per cent
// sign or commas between thousands.
func parseNumber(text string) (float64, bool) {
	text = strings.Trim(strings.TrimSpace(text), "$€£¥% ")
	if text == "" || len(text) > 24 || strings.ContainsAny(text, "xXpPnNiI_") {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false
	}
	return v, true
}

// near is how near two numbers are: 1 if equal, 0 if one is twice the other or more.
func near(a, b float64) float64 {
	if a == b {
		return 1
	}
	most := max(math.Abs(a), math.Abs(b))
	return max(0, 1-2*(math.Abs(a-b)/most))
}
