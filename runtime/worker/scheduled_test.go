package worker

import (
	"testing"
	"time"
)

// DEV7: the controller's own properties and noRetry; an event by hand need not name its cron.
func TestScheduledController(t *testing.T) {
	w := start(t, `
let seen = [];
export default {
  fetch() { return new Response(seen.join(" ")); },
  scheduled(c) { seen.push([Object.getOwnPropertyNames(c).sort(), typeof c.cron, c.cron, typeof c.scheduledTime,
    new Date(c.scheduledTime).toISOString(), typeof c.noRetry, c.noRetry()].join()); },
};`, nil)
	for _, e := range []struct {
		cron string
		at   time.Time
	}{
		{"", time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)},
		{"0 6 * * SUN", time.Date(2026, 4, 5, 6, 0, 0, 0, time.UTC)},
	} {
		if err := w.RunScheduled(t.Context(), e.cron, e.at).Err; err != nil {
			t.Fatal(err)
		}
	}
	const want = "cron,scheduledTime,string,,number,2026-04-01T12:00:00.000Z,function, " +
		"cron,scheduledTime,string,0 6 * * SUN,number,2026-04-05T06:00:00.000Z,function,"
	if _, got, err := get(t, w, "http://localhost/"); err != nil || got != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}
