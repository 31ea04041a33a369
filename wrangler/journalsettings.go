package wrangler

import (
	"fmt"
	"time"
)

// JournalSettings are what eddy's own file says of the journal. The zero value says nothing.
type JournalSettings struct {
	// Mode is on, full or off.
	Mode string
	// Size bounds the journal in bytes, Age says how long an event is kept.
	Size int64
	Age  time.Duration
	// Redact is what is hidden. The journal has the rules of what a path may be.
	Redact []Redaction
}

// Redaction is one rule by which values are hidden, and where it stands.
type Redaction struct {
	Rule string
	Pos  Pos
}

func readJournalSettings(o *object) JournalSettings {
	j := JournalSettings{Mode: o.oneOf("mode", "on", "full", "off")}
	if text := o.nonEmpty("size"); text != "" {
		var err error
		if j.Size, err = ParseSize(text); err != nil {
			o.mistakenAmount("size", text, err, `write one such as "64MB"`)
		}
	}
	if text := o.nonEmpty("age"); text != "" {
		var err error
		if j.Age, err = ParseAge(text); err == nil && j.Age <= 0 {
			err = fmt.Errorf("expected more than nothing")
		}
		if err != nil {
			o.mistakenAmount("age", text, err, `write one such as "24h"; "mode": "off" records nothing`)
		}
	}
	if rules := o.texts("redact"); len(rules) > 0 {
		for _, item := range o.n.get("redact").items {
			if item.kind == stringNode { // else it has its mistake already
				j.Redact = append(j.Redact, Redaction{item.text, o.src.pos(item.span.start)})
			}
		}
	}
	o.finish()
	return j
}

// mistakenAmount tells that a text is no size or time.
func (o *object) mistakenAmount(key, text string, err error, fix string) {
	o.errorAt(o.spanOf(key), fmt.Sprintf("%q is %s: %v.", o.pathOf(key), quoteJSON(text), err), fix)
}
