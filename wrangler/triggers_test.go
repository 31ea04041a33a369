package wrangler

import "testing"

func TestCronSyntax(t *testing.T) {
	valid := []string{"* * * * *", "*/30 * * * *", "45 * * * *", "0 17 * * SUN", "10 7 * * MON-FRI", "0 15 1 * *", "0 18 * * 6L", "59 23 LW * *",
		"0 0 15W * *", "0 0 L * *", "0 0 * * 2#1", "0 0 * * TUE#3", "0 0 * * sunL", "0,30 0-5/2 * jan,MAR *", "5/15 * * * *", "  0 0 * * *  ", "0 6 * * SUN"}
	for _, expr := range valid {
		if wrong, _ := checkCron(expr); wrong != "" {
			t.Errorf("%q: %s", expr, wrong)
		}
	}
	invalid := []string{"", "*", "* * * *", "* * * * * *", "60 * * * *", "-1 * * * *", "* 24 * * *", "* * 32 * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
		"* * * * 0", "1-0 * * * *", "*/0 * * * *", "*/x * * * *", "1, * * * *", "* * L-3 * *", "* * * * 2#6", "* * * * #1", "L * * * *", "* * * * MONDAY", "+5 * * * *", "1--3 * * * *"}
	for _, expr := range invalid {
		if wrong, fix := checkCron(expr); wrong == "" || fix == "" {
			t.Errorf("%q: wrong %q, fix %q", expr, wrong, fix)
		}
	}
}
