package wrangler

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooManyFindings: a report is bounded, and what it left out still counts as an error.
func TestTooManyFindings(t *testing.T) {
	var b strings.Builder
	for i := range 2 * maxFindings {
		fmt.Fprintf(&b, "\"unknown%d\": 1,\n", i)
	}
	_, found := Load(
		writeConfig(t, `{ "name": "w", "compatibility_date": "2026-04-01",`+b.String()+` }`), Options{Now: today})
	if len(found) != maxFindings+1 || !found.HasErrors() ||
		!hasText(found, fmt.Sprintf("There are %d more mistakes.", maxFindings)) {
		t.Errorf("%d findings, the first is %v", len(found), found[0])
	}
}

func TestReportKeepsOneOfEach(t *testing.T) {
	var rep report
	for range 2 {
		rep.add(Diagnostic{Text: "a", Line: 2})
		rep.add(Diagnostic{Text: "b", Line: 1})
	}
	found := rep.sorted()
	if len(found) != 2 || found[0].Text != "b" || found[1].Text != "a" {
		t.Errorf("findings: %v", found)
	}
}
