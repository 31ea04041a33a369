package runtime

import (
	"strings"
	"testing"
)

const scheduledWorker = `
let seen = "";
export default {
	fetch() { return new Response(seen); },
	scheduled(event) {
		if (event.cron === "bad") throw new Error("no such hour");
		seen += event.cron + "@" + event.scheduledTime + ";";
	},
};`

func TestCronsOnTheClock(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", strings.Replace(plainConfig, "}",
		`, "triggers": { "crons": ["0 * * * *", "30 12 * * *"] }}`, 1), "index.js", scheduledWorker).
		serve(func(o *Options) { o.Crons, o.TestScheduled = true, true })
	s.clock.Advance(t.Context(), 2*3600e9)
	s.expect("/", "30 12 * * *@1775046600000;0 * * * *@1775048400000;0 * * * *@1775052000000;")
	if _, body := s.ask("GET", "/__scheduled?cron=bad", ""); !strings.HasPrefix(body,
		"Error: no such hour\n    at Object.scheduled (") {
		t.Errorf("by hand: %q", body)
	}
	s.wantLines("SCHEDULED bad exception", "✘ Uncaught Error: no such hour")
}
