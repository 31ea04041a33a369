package report

import (
	"fmt"
	"strings"
	"time"
)

// Scheduled reports a cron event that has ended, whether the clock or a person has started it. cron may be "".
func (r *Reporter) Scheduled(worker, cron string, err error, took time.Duration) {
	outcome := r.Paint("green", "ok")
	if err != nil {
		outcome = r.Paint("red", "exception")
	}
	text := fmt.Sprintf("SCHEDULED %s %s (%s)", cron, outcome, Duration(took))
	r.Line(Info, "scheduled", strings.Join(strings.Fields(text), " "),
		F("worker", worker), F("cron", cron), F("ok", err == nil), F("ms", took.Milliseconds()))
}
