package term

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"sotto/compute/measure"
	"sotto/internal/layout"
	"sotto/promise/dp"
)

// PrintJSON prints a value as indented JSON.
func PrintJSON(out io.Writer, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(out, layout.JSON(b.String()))
	return err
}

// Percent renders a share with two digits, or a dash where it is undefined.
func Percent(v measure.Number) string { return (100 * v).Text("%.2f") }

// Limit renders a share that nothing exceeds, rounded up, or a dash where it is undefined.
func Limit(v measure.Number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return dp.AtMost(float64(v))
}

// Plain quotes a name that could play tricks on a terminal.
func Plain(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.QuoteToASCII(name)
	}
	return name
}
