package front

import "testing"

const scheduledWorker = `
let seen = "";
export default {
	fetch() { return new Response(seen); },
	scheduled(event) {
		if (event.cron === "bad") throw new Error("no such hour");
		seen += event.cron + "@" + event.scheduledTime + ";";
	},
};`

func TestScheduledByHand(t *testing.T) { // DEV5, DEV6
	s := serve(t, scheduledWorker, func(o *Options) { o.TestScheduled = true })
	for _, c := range []struct {
		path   string
		status int
		want   string
	}{
		{"/cdn-cgi/handler/scheduled?cron=*+*+*+*+*&time=1745856238000", 200, "ok"},
		{"/cdn-cgi/local/scheduled?cron=0+1+*+*+*", 200, "ok"},
		{"/cdn-cgi/mf/scheduled", 200, "ok"},
		{"/__scheduled?cron=5+*+*+*+*", 200, "Ran scheduled event"},
		{"/cdn-cgi/handler/scheduled?cron=bad", 500, "exception"},
		{"/cdn-cgi/handler/scheduled?time=tomorrow", 500,
			"TypeError: The value cannot be converted because it is not a valid Date.\n" +
				"    time=tomorrow: expected milliseconds since 1970"},
		{"/cdn-cgi/handler/sheduled", 404, "\"/cdn-cgi/handler/sheduled\" is not a valid handler. Did you mean to " +
			"use \"/cdn-cgi/handler/scheduled\" or \"/cdn-cgi/handler/email\"?\n"},
		{"/cdn-cgi/unknown", 404, "404 page not found\n"},
	} {
		if res, body := s.ask("GET", c.path, ""); res.StatusCode != c.status || body != c.want {
			t.Errorf("%s: %d %q, want %d %q", c.path, res.StatusCode, body, c.status, c.want)
		}
	}
	s.expect("/", "* * * * *@1745856238000;0 1 * * *@1775044800000;@1775044800000;5 * * * *@1775044800000;")
	s.wantLines("SCHEDULED * * * * * ok", "SCHEDULED bad exception", "uncaught Error: no such hour")
}

// A page somewhere in the web must not be able to reach what belongs to the developer: neither by its own origin nor by
// a name of its own that resolves to this machine.
func TestCDNAnswersOnlyLocally(t *testing.T) { // DEV5
	s := serve(t, scheduledWorker)
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"localhost:8787", "", 200}, {"127.0.0.1:8787", "", 200}, {"127.8.8.8", "", 200}, {"[::1]:8787", "", 200},
		{"app.localhost", "", 200},
		{"localhost:8787", "http://localhost:3000", 200}, {"localhost", "http://127.0.0.1", 200},
		{"evil.example", "", 403}, {"localhost.evil.example", "", 403}, {"192.168.1.7:8787", "", 403},
		{"evillocalhost", "", 403},
		{"localhost", "https://evil.example", 403}, {"localhost", "null", 403},
		{"localhost", "http://localhost.evil.example", 403}, {"localhost", "%", 403},
	} {
		header := []string{"Host", c.host}
		if c.origin != "" {
			header = append(header, "Origin", c.origin)
		}
		for _, path := range []string{"/cdn-cgi/handler/scheduled", "/cdn-cgi/eddy/metrics"} {
			if res, body := s.ask("GET", path, "", header...); res.StatusCode != c.status {
				t.Errorf("%s Host %s Origin %s: %d %.80s, want %d", path, c.host, c.origin, res.StatusCode, body,
					c.status)
			}
		}
		// The Worker itself answers to all.
		if res, _ := s.ask("GET", "/", "", header...); res.StatusCode != 200 {
			t.Errorf("Host %s Origin %s: the Worker answered %d", c.host, c.origin, res.StatusCode)
		}
	}
}
