package report_test

import (
	"testing"

	"sotto/evidence"
	"sotto/evidence/page/pagetest"
	"sotto/promise/dp/dptest"
	"sotto/report"
)

func TestBrowser(t *testing.T) {
	pages := map[string]*evidence.Evidence{"hostile": hostile()}
	if dptest.Long() {
		pages["sample"], pages["large"] = sample(), large()
	}
	for name, e := range pages {
		t.Run(name, func(t *testing.T) { pagetest.Browser(t, render(t, report.HTML, e), 5) })
	}
}
