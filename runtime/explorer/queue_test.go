package explorer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"eddy/runtime/control"
)

// A time is read as a person writes it.
func TestMoment(t *testing.T) {
	now := time.Date(2026, 4, 1, 12, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"": "0001-01-01T00:00:00.000Z", "10m": "2026-04-01T12:20:00.000Z", "-1h": "2026-04-01T11:30:00.000Z",
		"12:00": "2026-04-01T12:00:00.000Z", " 09:08:07.5 ": "2026-04-01T09:08:07.500Z",
		"2026-03-31": "2026-03-31T00:00:00.000Z", "2026-03-31T10:00": "2026-03-31T10:00:00.000Z",
		"2026-03-31 10:00:01.250": "2026-03-31T10:00:01.250Z", "2026-03-31T10:00:00+02:00": "2026-03-31T08:00:00.000Z",
	} {
		if got, err := moment(text, now); err != nil || stamp(got) != want {
			t.Errorf("%q: %s, %v, want %s", text, stamp(got), err, want)
		}
	}
	for _, text := range []string{"soon", "25:00", "2026-13-01", "10"} {
		if got, err := moment(text, now); err == nil {
			t.Errorf("%q is read as %s", text, stamp(got))
		}
	}
}

// Lines become messages in batches that a queue takes, and one that is not JSON is named.
func TestLines(t *testing.T) {
	lines, err := linesOf("1\r\n\n\"two\"\n", "json")
	if got := strings.Join(lines, "|"); err != nil || got != `1|"two"` {
		t.Errorf("%s, %v", got, err)
	}
	for text, want := range map[string]string{"1\n\nfog\n": "line 3 is not JSON: fog", " \n": "line 1 is not JSON:  ",
		"\n": "there is no line to send"} {
		if _, err := linesOf(text, ""); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if lines, err := linesOf("fog\n", "text"); err != nil || len(lines) != 1 {
		t.Errorf("%v, %v", lines, err)
	}
	var all []control.MessageBody
	for n := range 350 {
		size := 10
		if n >= 250 {
			size = 100_000
		}
		text := strings.Repeat("x", size)
		all = append(all, control.MessageBody{Text: &text})
	}
	var sizes []int
	total := 0
	for part := range parts(all) {
		sizes, total = append(sizes, len(part)), total+len(part)
	}
	if got := fmt.Sprint(sizes[:4], len(sizes), total); got != "[100 100 52 2] 52 350" {
		t.Errorf("batches of %s", got)
	}
}
