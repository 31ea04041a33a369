package wrangler

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Schedule is a parsed cron expression in UTC. The syntax is production's, which follows Quartz: five fields; names
// of months and weekdays; weekdays from 1 = Sunday to 7 = Saturday; ranges that may wrap around (FRI-SUN); L, LW, L-3,
// L-3W and 15W as day of the month; L, 6L and 2#1 as day of the week. When both day fields are restricted, either of
// them is enough.
type Schedule struct {
	minutes, hours, months uint64 // bit n stands for value n
	month                  monthDays
	week                   weekDays
}

// monthDays is the field for the day of the month.
type monthDays struct {
	set      uint64 // days by number; 0 for * and for the forms below
	last     bool   // counted from the end: the last day less back
	back     int
	closest  int  // nW: the weekday nearest to day n; 0 for none
	weekday  bool // with last: the weekday nearest to that day
	anything bool // *
}

// weekDays is the field for the day of the week; bit 0 stands for Sunday.
type weekDays struct {
	set      uint64
	last     bool // the last such day of the month
	nth      int  // the nth such day of the month; 0 for every one
	anything bool // *
}

// cronField describes one of the five fields.
type cronField struct {
	name     string
	min, max int
	names    []string // names[i] stands for min+i
}

var (
	minuteField = cronField{name: "minute", min: 0, max: 59}
	hourField   = cronField{name: "hour", min: 0, max: 23}
	dayField    = cronField{name: "day of month", min: 1, max: 31}
	monthField  = cronField{
		name: "month", min: 1, max: 12,
		names: []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}}
	weekdayField = cronField{
		name: "day of week", min: 1, max: 7, names: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}}
)

// CronError says what is wrong with a cron expression and how to mend it.
type CronError struct{ Problem, Fix string }

func (e *CronError) Error() string { return "invalid cron expression: " + e.Problem }

// ParseSchedule parses a cron expression. Errors are of type *CronError.
func ParseSchedule(expr string) (Schedule, error) {
	parts := strings.Fields(strings.ToUpper(expr))
	if len(parts) != 5 {
		fix := `write five fields, e.g. "*/5 * * * *"`
		if len(parts) == 6 {
			fix = "remove the field for seconds or years"
		}
		return Schedule{}, &CronError{fmt.Sprintf("it has %d fields instead of 5", len(parts)), fix}
	}
	var s Schedule
	var err error
	if s.minutes, err = minuteField.list(parts[0]); err != nil {
		return s, err
	}
	if s.hours, err = hourField.list(parts[1]); err != nil {
		return s, err
	}
	if s.month, err = parseMonthDays(parts[2]); err != nil {
		return s, err
	}
	if s.months, err = monthField.list(parts[3]); err != nil {
		return s, err
	}
	s.week, err = parseWeekDays(parts[4])
	return s, err
}

// list parses a comma list of values, ranges and steps.
func (f cronField) list(text string) (uint64, error) {
	if text == "*" {
		return f.span(f.min, f.max, 1), nil
	}
	var set uint64
	for _, item := range strings.Split(text, ",") {
		more, ok := f.item(item)
		if !ok {
			return 0, f.wrong(item)
		}
		set |= more
	}
	return set, nil
}

// item parses */n, a, a/n, a-b or a-b/n.
func (f cronField) item(item string) (uint64, bool) {
	base, stepText, hasStep := strings.Cut(item, "/")
	step := 1
	if hasStep {
		var ok bool
		if step, ok = number(stepText); !ok || step < 1 || step > f.max {
			return 0, false
		}
	}
	if base == "*" {
		return f.span(f.min, f.max, step), hasStep
	}
	fromText, toText, isRange := strings.Cut(base, "-")
	from, ok := f.value(fromText)
	if !ok {
		return 0, false
	}
	to := from
	switch {
	case isRange:
		if to, ok = f.value(toText); !ok {
			return 0, false
		}
	case hasStep:
		to = f.max
	}
	return f.span(from, to, step), true
}

// span sets every step-th bit from one value to another, around the end of the field if need be.
func (f cronField) span(from, to, step int) uint64 {
	size := f.max - f.min + 1
	length := to - from
	if length < 0 {
		length += size
	}
	var set uint64
	for i := 0; i <= length; i += step {
		set |= 1 << (f.min + (from-f.min+i)%size)
	}
	return set
}

func (f cronField) value(text string) (int, bool) {
	for i, name := range f.names {
		if text == name {
			return f.min + i, true
		}
	}
	n, ok := number(text)
	return n, ok && n >= f.min && n <= f.max
}

// number reads one or two digits.
func number(text string) (int, bool) {
	if len(text) < 1 || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

func (f cronField) wrong(item string) error {
	fix := fmt.Sprintf("use numbers from %d to %d", f.min, f.max)
	if len(f.names) > 0 {
		fix += fmt.Sprintf(" or names from %s to %s", f.names[0], f.names[len(f.names)-1])
	}
	fix += ", *, ranges a-b, steps /n and lists with commas"
	if f.name == weekdayField.name && item == "0" {
		fix = "write SUN or 1: days of the week count from 1 = Sunday"
	}
	return &CronError{fmt.Sprintf("bad value %q in the field for the %s", item, f.name), fix}
}

func parseMonthDays(text string) (monthDays, error) {
	if text == "*" {
		return monthDays{anything: true}, nil
	}
	// L, LW, L-n, L-nW and nW stand alone, not in lists.
	if rest, ok := strings.CutPrefix(text, "L"); ok {
		d := monthDays{last: true}
		rest, d.weekday = strings.CutSuffix(rest, "W")
		if rest == "" {
			return d, nil
		}
		offset, ok := strings.CutPrefix(rest, "-")
		if d.back, _ = number(offset); !ok || d.back < 1 || d.back > 30 {
			return d, dayField.wrong(text)
		}
		return d, nil
	}
	if day, ok := strings.CutSuffix(text, "W"); ok {
		n, ok := dayField.value(day)
		if !ok {
			return monthDays{}, dayField.wrong(text)
		}
		return monthDays{closest: n}, nil
	}
	set, err := dayField.list(text)
	return monthDays{set: set}, err
}

func parseWeekDays(text string) (weekDays, error) {
	switch text {
	case "*":
		return weekDays{anything: true}, nil
	case "L": // the last day of the week
		return weekDays{set: 1 << time.Saturday}, nil
	}
	one := func(text string) (uint64, bool) {
		n, ok := weekdayField.value(text)
		return 1 << max(n-1, 0), ok
	}
	if day, nthText, ok := strings.Cut(text, "#"); ok {
		set, ok := one(day)
		nth, isNumber := number(nthText)
		if !ok || !isNumber || nth < 1 || nth > 5 {
			return weekDays{}, weekdayField.wrong(text)
		}
		return weekDays{set: set, nth: nth}, nil
	}
	if day, ok := strings.CutSuffix(text, "L"); ok {
		if set, ok := one(day); ok {
			return weekDays{set: set, last: true}, nil
		}
	}
	set, err := weekdayField.list(text)
	return weekDays{set: set >> 1}, err
}

// longestGap bounds the search for the next time: a fifth Monday in February can be forty years away.
const longestGap = 50

// Next returns the first time after a given one that the schedule contains, and false if there is none (31 November).
func (s Schedule) Next(after time.Time) (time.Time, bool) {
	t := after.UTC().Truncate(time.Minute).Add(time.Minute)
	end := t.AddDate(longestGap, 0, 0)
	for t.Before(end) {
		year, month, day := t.Date()
		switch {
		case s.months>>month&1 == 0:
			t = time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
		case !s.hasDay(t):
			t = time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
		case s.hours>>t.Hour()&1 == 0:
			t = time.Date(year, month, day, t.Hour()+1, 0, 0, 0, time.UTC)
		default:
			later := s.minutes >> t.Minute()
			if later != 0 {
				return t.Add(time.Duration(bits.TrailingZeros64(later)) * time.Minute), true
			}
			t = time.Date(year, month, day, t.Hour()+1, 0, 0, 0, time.UTC)
		}
	}
	return time.Time{}, false
}

// hasDay reports whether the day of t is in the schedule, as far as the two day fields decide it.
func (s Schedule) hasDay(t time.Time) bool {
	switch {
	case s.month.anything && s.week.anything:
		return true
	case s.month.anything:
		return s.week.contains(t)
	case s.week.anything:
		return s.month.contains(t)
	}
	return s.month.contains(t) || s.week.contains(t)
}

func (d monthDays) contains(t time.Time) bool {
	length := daysInMonth(t)
	target := d.closest
	switch {
	case d.last:
		target = length - d.back
		if !d.weekday {
			return t.Day() == target
		}
	case target == 0:
		return d.set>>t.Day()&1 == 1
	}
	if target < 1 || target > length {
		return false
	}
	return t.Day() == nearestWeekday(t, target, length)
}

// nearestWeekday is the day from Monday to Friday that is closest to a day of t's month, within that month.
func nearestWeekday(t time.Time, day, length int) int {
	switch t.AddDate(0, 0, day-t.Day()).Weekday() {
	case time.Saturday:
		if day == 1 {
			return 3
		}
		return day - 1
	case time.Sunday:
		if day == length {
			return day - 2
		}
		return day + 1
	}
	return day
}

func (d weekDays) contains(t time.Time) bool {
	if d.set>>t.Weekday()&1 == 0 {
		return false
	}
	if d.last {
		return t.Day()+7 > daysInMonth(t)
	}
	return d.nth == 0 || (t.Day()-1)/7+1 == d.nth
}

func daysInMonth(t time.Time) int {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
