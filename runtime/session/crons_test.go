package session

import "testing"

// A cluster tells a Worker's cron from schedules of its workflows that have the same expression, and those from each
// other: each of them fires.
func TestCronsOnceByName(t *testing.T) {
	svc := &service{name: "w"}
	names := map[string]bool{}
	for _, workflow := range []string{"", "a", "b"} {
		names[cronKey{svc, "* * * * *", workflow}.once()] = true
	}
	if len(names) != 3 {
		t.Errorf("the names are %v", names)
	}
}
