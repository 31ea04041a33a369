package wrangler

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// maxWorkflowSteps is the largest step limit that production takes (FLOW-171).
const maxWorkflowSteps = 25_000

// workflowNameForm says which names a workflow may have.
const workflowNameForm = "Workflow names must be 1-64 characters long, start with a letter, number, or underscore, " +
	"and " +
	"may only contain letters, numbers, underscores, or hyphens."

// readWorkflowSettings reads limits, schedules and default_retention of a workflow (FLOW-170).
func (s *scope) readWorkflowSettings(o *object, b *Workflow, cfg *Config) {
	elsewhere := b.ScriptName != "" && b.ScriptName != cfg.Name
	belongs := func(key, what string) {
		if o.member(key) != nil && elsewhere {
			o.errorAt(o.spanOf(key), fmt.Sprintf("Workflow %q has %q configured but references external script %q. "+
				"Configure %s on the worker that defines the workflow.", b.Name, key, b.ScriptName, what),
				"move it to the configuration of "+b.ScriptName)
		}
	}
	belongs("limits", "limits")
	belongs("schedules", "schedules")
	if l, ok := o.child("limits", fieldPhrase); ok {
		b.Steps = int(l.ranged("steps", 0, numberRange{min: 1, max: 1e9, whole: true}))
		if b.Steps > maxWorkflowSteps {
			l.warnAt(l.spanOf("steps"), fmt.Sprintf("Workflow %q has a step limit of %d, which exceeds the production "+
				"maximum of 25,000. This configuration may not work when deployed.", b.Name, b.Steps),
				"write "+l.assign("steps", strconv.Itoa(maxWorkflowSteps)))
		}
		l.finish()
	}
	if c, ok := o.child("concurrency", fieldPhrase); ok {
		b.Concurrency = int(c.ranged("limit", 0, numberRange{min: 1, max: 1e9, whole: true}))
		c.finish()
	}
	b.Schedules = s.workflowSchedules(o)
	if r, ok := o.child("default_retention", fieldPhrase); ok {
		b.SuccessRetention, b.ErrorRetention = r.duration("success_retention"), r.duration("error_retention")
		r.finish()
	}
}

// workflowSchedules reads one cron expression or several.
func (s *scope) workflowSchedules(o *object) (all []Cron) {
	v := o.member("schedules")
	if v == nil {
		return nil
	}
	path := o.pathOf("schedules")
	items := []*node{v}
	if v.kind == arrayNode {
		if items = v.items; len(items) == 0 {
			o.errorAt(v.span, fmt.Sprintf("%q is an empty array.", path), "write a cron expression, or leave it out")
		}
	}
	for _, item := range items {
		if item.kind != stringNode {
			o.errorAt(item.span, fmt.Sprintf("Expected %q to be a string or an array of strings but got %s.", path,
				item.shortJSON()), "write a cron expression")
			continue
		}
		if schedule, ok := s.readCron(path, item); ok {
			all = append(all, Cron{Expr: item.text, Schedule: schedule, Pos: s.src.pos(item.span.start)})
		}
	}
	return all
}

var durationText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(\d+(?:\.\d+)?)\s*(second|minute|hour|day|week|month|year)s?\s*$`)
})

// durationUnits are the units of durations of workflows (FLOW-7).
var durationUnits = map[string]time.Duration{
	"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour,
	"month": 30 * 24 * time.Hour, "year": 8766 * time.Hour,
}

// ParseDuration reads a text such as "3 days" (FLOW-7).
func ParseDuration(text string) (time.Duration, bool) {
	m := durationText().FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	d := n * float64(durationUnits[m[2]])
	return time.Duration(min(d, 1<<62)), err == nil && d < 1<<62
}

// duration returns a member that is a number of milliseconds or a text with a unit, 0 when it is absent or wrong.
func (o *object) duration(key string) time.Duration {
	v := o.member(key)
	if v == nil {
		return 0
	}
	if v.kind == stringNode {
		if d, ok := ParseDuration(v.text); ok {
			return d
		}
	} else if ms, ok := o.number(key); ok && ms >= 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	o.errorAt(o.spanOf(key), fmt.Sprintf("%q: Duration must be a number or a string in format '{{number}} {{unit}}' "+
		"where "+
		"unit is second(s), minute(s), etc.", o.pathOf(key)), "write "+o.assign(key, `"7 days"`))
	return 0
}
