package wrangler

import (
	"errors"
	"fmt"
	"time"
)

// Cron is one expression of triggers.crons.
type Cron struct {
	Expr     string // as written; what the scheduled event carries (DEV7)
	Schedule Schedule
	Pos      Pos
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
		schedule, ok := s.readCron(fmt.Sprintf("%s.crons[%d]", e.path, i), item)
		if !ok {
			continue
		}
		pos := s.src.pos(item.span.start)
		if line, twice := seen[item.text]; twice {
			s.warnAt(item.span, fmt.Sprintf("Cron expression %q is listed more than once.", item.text),
				"remove one of the two",
				fmt.Sprintf("The other one is at line %d.", line))
			continue
		}
		seen[item.text] = pos.Line
		cfg.Triggers.Crons = append(cfg.Triggers.Crons, Cron{Expr: item.text, Schedule: schedule, Pos: pos})
	}
	o.finish()
}

func (s *scope) readCron(path string, item *node) (Schedule, bool) {
	schedule, err := ParseSchedule(item.text)
	if wrong, ok := errors.AsType[*CronError](err); ok {
		s.errorAt(item.span, fmt.Sprintf("%q is not a valid cron expression: %s.", path, wrong.Problem), wrong.Fix,
			"Expected five fields: minute, hour, day of month, month, day of week.")
		return schedule, false
	}
	if _, ever := schedule.Next(cronEpoch); !ever {
		s.warnAt(item.span, fmt.Sprintf("Cron expression %q never fires.", item.text),
			"choose a day that the month has")
	}
	return schedule, true
}

// cronEpoch is where the search for a first firing starts; any date does, since the calendar repeats.
var cronEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
