package report

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
)

func noon() time.Time { return time.Date(2026, 4, 1, 14, 0, 0, 5e6, time.FixedZone("CEST", 7200)) }

func TestText(t *testing.T) {
	for _, c := range []struct {
		name  string
		color bool
		level Level
		want  string
	}{
		{"plain", false, Debug, "light\nplain ok\n▲ careful\n✘ broken\n"},
		{"colour", true, Debug, "light\nplain \x1b[32mok\x1b[0m\n\x1b[33m▲ \x1b[0mcareful\n\x1b[31m✘ \x1b[0mbroken\n"},
		{"from warn", false, Warn, "▲ careful\n✘ broken\n"},
		{"none", false, None, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			r := New(Options{Out: &out, Color: c.color, Level: c.level})
			r.Line(Debug, "a", "light")
			r.Line(Info, "a", "plain "+r.Paint("green", "ok"), F("not", "shown"))
			r.Line(Warn, "a", "careful")
			r.Line(Error, "a", "broken")
			if out.String() != c.want {
				t.Errorf("got %q, want %q", out.String(), c.want)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	var out strings.Builder
	r := New(Options{Out: &out, Format: JSON, Color: true, Now: noon})
	r.Line(Warn, "queue", "two\nlines of \x1b[31mred\x1b[0m", F("acked", 3), F("queue", "q"))
	r.Line(Error, "odd", "x", F("f", func() {})) // a field that has no JSON is told, not lost
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(rows) != 2 {
		t.Fatalf("%d lines: %q", len(rows), out.String())
	}
	if want := `{"acked":3,"kind":"queue","level":"warn","msg":"two\nlines of ` +
		`red","queue":"q","time":"2026-04-01T12:00:00.005Z"}`; rows[0] != want {
		t.Errorf("got  %s\nwant %s", rows[0], want)
	}
	var second map[string]any
	if err := json.Unmarshal([]byte(rows[1]), &second); err != nil || second["kind"] != "report" ||
		second["level"] != "error" {
		t.Errorf("%v %v", second, err)
	}
	if r.Color() {
		t.Error("JSON lines with colours")
	}
}

func TestNothing(t *testing.T) {
	var r *Reporter
	r.Line(Error, "a", "nobody listens") // must not panic
	New(Options{}).Line(Error, "a", "nowhere to write")
}

func TestLinesStayWhole(t *testing.T) {
	var out strings.Builder
	r := New(Options{Out: &out})
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { r.Line(Info, "a", "one whole line") })
	}
	all.Wait()
	if want := strings.Repeat("one whole line\n", 50); out.String() != want {
		t.Errorf("lines are mixed: %q", out.String())
	}
}

func TestParseLevel(t *testing.T) {
	for i, name := range []string{"debug", "info", "log", "warn", "error", "none"} {
		if l, err := ParseLevel(name); err != nil || l != Level(i) {
			t.Errorf("%s: %d %v", name, l, err)
		}
	}
	if _, err := ParseLevel("loud"); err == nil ||
		!strings.Contains(err.Error(), `"loud": expected one of debug, info, log, warn, error, none`) {
		t.Error(err)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0ms", 499 * time.Microsecond: "0ms", 1500 * time.Microsecond: "2ms", 61 * time.Second: "61000ms"} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// TestTimestamps: every line of a text begins with the time.
func TestTimestamps(t *testing.T) {
	var out strings.Builder
	New(Options{Out: &out, Timestamps: true, Now: noon}).Line(Warn, "a", "one\ntwo")
	if want := "12:00:00.005 ▲ one\n12:00:00.005 two\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestHarmless: what somebody else wrote does not reach the terminal as a command; colours do.
func TestHarmless(t *testing.T) {
	var out strings.Builder
	New(Options{Out: &out}).Line(Info, "a", "\x1b[2J\u009b2J\u202e\x1b[31mred\x1b[0m\rover")
	if want := "\\x1b[2J\\x9b2J\\u202e\x1b[31mred\x1b[0m\\rover\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
