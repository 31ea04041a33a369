package wrangler

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestCronSyntax(t *testing.T) {
	valid := []string{
		"* * * * *", "*/30 * * * *", "45 * * * *", "0 17 * * SUN", "10 7 * * MON-FRI", "0 15 1 * *", "0 18 * * 6L",
		"59 23 LW * *",
		"0 0 15W * *", "0 0 L * *", "0 0 L-3 * *", "0 0 L-3W * *", "0 0 * * 2#1", "0 0 * * TUE#3", "0 0 * * sunL",
		"0 0 * * L", "0,30 0-5/2 * jan,MAR *",
		"5/15 * * * *", "  0 0 * * *  ", "0 6 * * SUN", "50-10 22-2 30-1 NOV-2 7-1", "*/5,*/3 * * * *"}
	for _, expr := range valid {
		if _, err := ParseSchedule(expr); err != nil {
			t.Errorf("%q: %v", expr, err)
		}
	}
	invalid := []string{
		"", "*", "* * * *", "* * * * * *", "60 * * * *", "-1 * * * *", "* 24 * * *", "* * 32 * *", "* * 0 * *",
		"* * * 13 *", "* * * 0 *", "* * * * 8",
		"* * * * 0", "*/0 * * * *", "0/60 * * * *", "*/x * * * *", "1, * * * *", "*,* * * * *", "*-5 * * * *",
		"* * L-0 * *", "* * L-31 * *", "* * 3,L * *", "* * 1W,3 * *",
		"* * * * 2#6", "* * * * 2#0", "* * * * #1", "* * * * 3,L", "L * * * *", "* * * * MONDAY", "+5 * * * *",
		"1--3 * * * *", "* * W * *", "* * LX * *", "005 * * * *"}
	for _, expr := range invalid {
		_, err := ParseSchedule(expr)
		var wrong *CronError
		if !errors.As(err, &wrong) || wrong.Problem == "" || wrong.Fix == "" {
			t.Errorf("%q: %v", expr, err)
		}
	}
}

// TestScheduleNext lists the first firings after Thursday, 1 January 2026, 00:00.
func TestScheduleNext(t *testing.T) {
	tests := []struct{ expr, want string }{
		{"* * * * *", "01-01T00:01 01-01T00:02 01-01T00:03"},
		{"*/30 * * * *", "01-01T00:30 01-01T01:00 01-01T01:30"},
		{"5/25 3 * * *", "01-01T03:05 01-01T03:30 01-01T03:55"},
		{"0 17 * * sun", "01-04T17:00 01-11T17:00 01-18T17:00"},
		{"0 17 * * 1", "01-04T17:00 01-11T17:00 01-18T17:00"},
		{"10 7 * * 2-6", "01-01T07:10 01-02T07:10 01-05T07:10"},
		{"0 0 * * FRI-SUN", "01-02T00:00 01-03T00:00 01-04T00:00"},
		{"0 0 * * L", "01-03T00:00 01-10T00:00 01-17T00:00"},
		{"0 18 * * 6L", "01-30T18:00 02-27T18:00 03-27T18:00"},
		{"0 0 * * MON#1", "01-05T00:00 02-02T00:00 03-02T00:00"},
		{"0 15 1 * *", "01-01T15:00 02-01T15:00 03-01T15:00"},
		{"59 23 LW * *", "01-30T23:59 02-27T23:59 03-31T23:59"},
		{"0 0 L * *", "01-31T00:00 02-28T00:00 03-31T00:00"},
		{"0 0 L-30 * *", "03-01T00:00 05-01T00:00 07-01T00:00"},
		{"0 0 L-2W * *", "01-29T00:00 02-26T00:00 03-30T00:00"},
		{"0 0 1W * *", "02-02T00:00 03-02T00:00 04-01T00:00"},
		{"0 0 31W * *", "01-30T00:00 03-31T00:00 05-29T00:00"},
		{"0 0 13 * FRI", "01-02T00:00 01-09T00:00 01-13T00:00"},
		{"0 0 31 * *", "01-31T00:00 03-31T00:00 05-31T00:00"},
		{"0 22-1 1 FEB,APR *", "02-01T00:00 02-01T01:00 02-01T22:00"},
		{"0 0 29 2 *", "2028-02-29T00:00 2032-02-29T00:00 2036-02-29T00:00"},
		{"0 0 31 11 *", "never"},
		{"0 0 30,31 2 *", "never"},
	}
	for _, test := range tests {
		s, err := ParseSchedule(test.expr)
		if err != nil {
			t.Errorf("%q: %v", test.expr, err)
			continue
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var got []string
		for range 3 {
			next, ok := s.Next(at)
			if !ok {
				got = append(got, "never")
				break
			}
			got, at = append(got, strings.TrimPrefix(next.Format("2006-01-02T15:04"), "2026-")), next
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q fires at %s, want %s", test.expr, strings.Join(got, " "), test.want)
		}
	}
}

// TestScheduleNextIsAfter: seconds are cut, and local times are read as UTC.
func TestScheduleNextIsAfter(t *testing.T) {
	s, err := ParseSchedule("0 12 * * *")
	if err != nil {
		t.Fatal(err)
	}
	zone := time.FixedZone("east", 5*60*60)
	tests := []struct{ after, want time.Time }{
		{time.Date(2026, 1, 1, 11, 59, 59, 999, time.UTC), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)},
		{time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)},
		{time.Date(2026, 1, 1, 13, 0, 0, 0, zone), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)},
	}
	for _, test := range tests {
		if got, ok := s.Next(test.after); !ok || !got.Equal(test.want) {
			t.Errorf("after %s comes %s, want %s", test.after, got, test.want)
		}
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, seed := range []string{"* * * * *", "0 0 L-3W * 2#1", "1-5/2,*/3 0 1W JAN-mar SUNL", "50-10 * * * 7-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		s, err := ParseSchedule(expr)
		if err != nil {
			return
		}
		if next, ok := s.Next(cronEpoch); ok && !next.After(cronEpoch) {
			t.Errorf("%q fires at %s, before it was asked for", expr, next)
		}
	})
}

func BenchmarkScheduleNext(b *testing.B) {
	s, err := ParseSchedule("0 18 * FEB MON#5")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Next(cronEpoch)
	}
}
