package report_test

import (
	"testing"

	"sotto/report"
	"sotto/report/evidence"
	"sotto/report/page/pagetest"
)

func TestBrowser(t *testing.T) {
	for name, e := range map[string]*evidence.Evidence{"sample": sample(), "large": large(), "hostile": hostile()} {
		t.Run(name, func(t *testing.T) { pagetest.Browser(t, render(t, report.HTML, e), 5) })
	}
}
