package foreign

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// object is a JSON object whose values are read when they are needed.
type object map[string]json.RawMessage

func (o object) has(key string) bool { _, ok := o[key]; return ok }

// text is a string or a number as text; "" if there is none.
func (o object) text(key string) string {
	var s string
	if json.Unmarshal(o[key], &s) == nil {
		return s
	}
	if v := o[key]; len(v) > 0 && strings.IndexByte("-0123456789tf", v[0]) >= 0 {
		return string(v)
	}
	return ""
}

// first is the first of several texts that is there.
func (o object) first(keys ...string) string {
	for _, key := range keys {
		if s := o.text(key); s != "" {
			return s
		}
	}
	return ""
}

// child is an object in it, nil if there is none.
func (o object) child(key string) (child object) {
	_ = json.Unmarshal(o[key], &child) // what is no object is nil
	return child
}

// list reads an array into into, and tells whether there is one.
func (o object) list(key string, into *[]json.RawMessage) bool {
	return o.has(key) && json.Unmarshal(o[key], into) == nil && *into != nil
}

// number is a whole number, otherwise if there is none.
func (o object) number(key string, otherwise int) int {
	var n int
	if json.Unmarshal([]byte(o.text(key)), &n) == nil {
		return n
	}
	return otherwise
}

// messageKeys are what messages have beside their bodies, in the forms that Read knows. An object with another key is a
// body by itself, though it has a key body.
var messageKeys = []string{"id", "timestamp", "timestamp_ms", "attempts", "body", "body_base64", "content_type",
	"contentType", "metadata", "lease_id", "ref", "queue", "state", "visible", "shown", "dead_letter", "delaySeconds",
	"delay_seconds", "outcome", "cause"}

func (o object) isMessage() bool {
	if !o.has("body") && !o.has("body_base64") {
		return false
	}
	for key := range o {
		if !slices.Contains(messageKeys, key) {
			return false
		}
	}
	return true
}

// moment reads a time: RFC 3339, or a number of milliseconds or seconds since 1970. A capture has four digits for its
// year.
func moment(text string) (t time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime} { // UTC, if it has no zone
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), hasYear(t.UTC())
		}
	}
	var n float64
	if json.Unmarshal([]byte(text), &n) != nil || n <= 0 || n > 8.64e15 {
		return t, false
	}
	if n < secondsBelow {
		n *= 1000
	}
	t = time.UnixMilli(int64(n)).UTC()
	return t, hasYear(t)
}

func hasYear(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// secondsBelow is what a number is of seconds that lies below it: it is in the year 5138 as seconds, in 1973 as
// milliseconds.
const secondsBelow = 1e11
