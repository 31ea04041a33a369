package wrangler

import (
	"fmt"
	"strconv"
	"strings"
)

// Cron is one expression of triggers.crons. Its syntax has been checked: five fields, with names of months and
// weekdays, and L, W and # in the day fields. Weekdays count from 1 = Sunday.
type Cron struct {
	Expr string
	Pos  Pos
}

// readTriggers reads the triggers section.
func (s *scope) readTriggers(cfg *Config) {
	e, ok := s.lookup("triggers")
	if !ok || e.value.kind == nullNode {
		return
	}
	o, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	o.accept("events")
	o.texts("crons")
	seen := make(map[string]int)
	for i, item := range o.n.get("crons").elements() {
		if item.kind != stringNode {
			continue
		}
		if wrong, fix := checkCron(item.text); wrong != "" {
			s.errorAt(item.span, fmt.Sprintf("\"%s.crons[%d]\" is not a valid cron expression: %s.", e.path, i, wrong), fix,
				"Expected five fields: minute, hour, day of month, month, day of week.")
			continue
		}
		pos := s.src.pos(item.span.start)
		if line, twice := seen[item.text]; twice {
			s.warnAt(item.span, fmt.Sprintf("Cron expression %q is listed more than once.", item.text), "remove one of the two",
				fmt.Sprintf("The other one is at line %d.", line))
			continue
		}
		seen[item.text] = pos.Line
		cfg.Triggers.Crons = append(cfg.Triggers.Crons, Cron{Expr: item.text, Pos: pos})
	}
	o.finish()
}

// cronField describes one of the five fields.
type cronField struct {
	name     string
	min, max int
	names    []string // names[i] stands for min+i
	special  string   // letters of LW# that may be used
}

var cronFields = []cronField{
	{name: "minute", min: 0, max: 59},
	{name: "hour", min: 0, max: 23},
	{name: "day of month", min: 1, max: 31, special: "LW"},
	{name: "month", min: 1, max: 12, names: []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}},
	{name: "day of week", min: 1, max: 7, names: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}, special: "L#"},
}

// checkCron returns what is wrong with an expression and how to mend it, or two empty strings.
func checkCron(expr string) (wrong, fix string) {
	parts := strings.Fields(expr)
	if len(parts) != len(cronFields) {
		fix = `write five fields, e.g. "*/5 * * * *"`
		if len(parts) == 6 {
			fix = "remove the field for seconds or years"
		}
		return fmt.Sprintf("it has %d fields instead of 5", len(parts)), fix
	}
	for i, f := range cronFields {
		for _, item := range strings.Split(parts[i], ",") {
			if problem := f.check(item); problem != "" {
				return fmt.Sprintf("%s in the field for the %s", problem, f.name), f.hint()
			}
		}
	}
	return "", ""
}

func (f cronField) hint() string {
	hint := fmt.Sprintf("use numbers from %d to %d", f.min, f.max)
	if len(f.names) > 0 {
		hint += fmt.Sprintf(" or names from %s to %s", f.names[0], f.names[len(f.names)-1])
	}
	return hint + ", *, ranges a-b, steps /n and lists with commas"
}

// check examines one item of a comma list: *, a, a-b, each with an optional /step, or the special forms.
func (f cronField) check(item string) (problem string) {
	upper := strings.ToUpper(item)
	base, step, hasStep := strings.Cut(upper, "/")
	if hasStep {
		if n, err := strconv.Atoi(step); err != nil || n < 1 || n > f.max {
			return fmt.Sprintf("bad step %q", item)
		}
	}
	if base == "*" || f.isSpecial(base) {
		return ""
	}
	from, to, isRange := strings.Cut(base, "-")
	low, ok := f.value(from)
	if !ok {
		return fmt.Sprintf("bad value %q", item)
	}
	if !isRange {
		return ""
	}
	high, ok := f.value(to)
	if !ok || high < low {
		return fmt.Sprintf("bad range %q", item)
	}
	return ""
}

// isSpecial recognises L, LW, 15W in days of the month, and 6L, SUNL, 2#1 in days of the week.
func (f cronField) isSpecial(s string) bool {
	switch {
	case strings.Contains(f.special, "W"):
		if s == "L" || s == "LW" {
			return true
		}
		day, found := strings.CutSuffix(s, "W")
		_, ok := f.value(day)
		return found && ok
	case strings.Contains(f.special, "#"):
		if s == "L" {
			return true
		}
		if day, nth, found := strings.Cut(s, "#"); found {
			_, ok := f.value(day)
			return ok && len(nth) == 1 && nth[0] >= '1' && nth[0] <= '5'
		}
		day, found := strings.CutSuffix(s, "L")
		_, ok := f.value(day)
		return found && ok
	}
	return false
}

func (f cronField) value(s string) (int, bool) {
	for i, name := range f.names {
		if s == name {
			return f.min + i, true
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && len(s) <= 2 && s[0] != '+' && s[0] != '-' && n >= f.min && n <= f.max
}
