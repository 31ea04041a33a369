package dialect

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on every machine
)

func init() {
	register("now", 0, 0, func(c *called) expr { return fixed(timeKind, c.now) })
	register("today", 0, 0, func(c *called) expr { return fixed(dateKind, floorDiv(c.now, daySecs)) })
	register("toDateTime", 1, 2, func(c *called) expr {
		k := timeKind
		if len(c.args) > 1 {
			k.zone = c.zone(1)
		} else {
			k.zone = c.args[0].kind.zone
		}
		return (&called{c.scope, c.node, c.args[:1]}).timeOf(k)
	})
	register("toUnixTimestamp", 1, 1, func(c *called) expr {
		k := c.timed()
		return c.gives(uintKind, func(v []any) any { return uintKind.wrap(k.moment(v[0]).Unix()) })
	})
	for name, of := range map[string]func(time.Time) int{
		"toYear": time.Time.Year, "toMonth": func(t time.Time) int { return int(t.Month()) },
		"toDayOfMonth": time.Time.Day,
		"toDayOfWeek":  weekday, "toHour": time.Time.Hour, "toMinute": time.Time.Minute, "toSecond": time.Time.Second,
		"toYYYYMM": func(t time.Time) int { return t.Year()*100 + int(t.Month()) },
	} {
		register(name, 1, 1, func(c *called) expr {
			k := c.timed()
			result := byteKind
			switch name {
			case "toYear":
				result = shortKind
			case "toYYYYMM":
				result = uintKind
			}
			return c.gives(result, func(v []any) any { return int64(of(k.moment(v[0]))) })
		})
	}
	register("extract", 1, 1, func(c *called) expr {
		k, of := c.timed(), map[string]func(time.Time) int{"YEAR": time.Time.Year,
			"MONTH": func(t time.Time) int { return int(t.Month()) }, "DAY": time.Time.Day, "HOUR": time.Time.Hour,
			"MINUTE": time.Time.Minute, "SECOND": time.Time.Second}[c.node.params[0].text]
		result := byteKind
		if c.node.params[0].text == "YEAR" {
			result = shortKind
		}
		return c.gives(result, func(v []any) any { return int64(of(k.moment(v[0]))) })
	})
	for name, span := range map[string]interval{
		"toStartOfYear": {1, "YEAR"}, "toStartOfMonth": {1, "MONTH"}, "toStartOfDay": {1, "DAY"},
		"toStartOfHour": {1, "HOUR"}, "toStartOfFifteenMinutes": {15, "MINUTE"}, "toStartOfTenMinutes": {10, "MINUTE"},
		"toStartOfFiveMinutes": {5, "MINUTE"}, "toStartOfMinute": {1, "MINUTE"}, "toStartOfWeek": {1, "WEEK"},
	} {
		register(name, 1, 1, func(c *called) expr { return c.startOf(span, c.args[0].kind.zone) })
	}
	register("toStartOfInterval", 2, 3, func(c *called) expr {
		span, ok := c.args[1].value().(interval)
		if !ok || !c.args[1].constant {
			c.refuse("argument 2 should be an INTERVAL")
		}
		if span.n < 1 {
			c.refuse("the INTERVAL should be at least 1")
		}
		zone := c.args[0].kind.zone
		if len(c.args) > 2 {
			zone = c.zone(2)
		}
		return c.startOf(span, zone)
	})
	register("formatDateTime", 2, 3, formatDateTime)
}

func weekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

// timed is the kind of a first argument that has to be a time.
func (c *called) timed() kind {
	c.wants(0, "a DateTime", c.args[0].kind.timed())
	return c.args[0].kind
}

// zone reads a constant argument that names a time zone.
func (c *called) zone(i int) *time.Location {
	c.wants(i, "a String", c.args[i].kind.name == "String")
	if !c.args[i].constant {
		c.refuse("argument %d should be a constant", i+1)
	}
	name, _ := c.args[i].value().(string)
	loc, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		c.refuse("unknown time zone %s", quote(name))
	}
	return loc
}

// timeOf reads the only argument as a time: a number of seconds since 1970, a text of such a number, or a text like
// '1981-04-12 12:00:04' in the kind's zone. Another text is the beginning of 1970, unless it is a constant.
func (c *called) timeOf(k kind) expr {
	from := c.args[0].kind
	k = kind{name: "DateTime", zone: k.zone}
	c.wants(0, "a number, a String or a time", from.numeric() || from.timed() || from.name == "String")
	if from.name != "String" {
		return c.gives(k, func(v []any) any {
			if from.timed() {
				return from.moment(v[0]).Unix()
			}
			return whole(v[0])
		})
	}
	if c.args[0].constant {
		text, _ := c.args[0].value().(string)
		if _, ok := readTime(text, k.location()); !ok {
			c.refuse("%s is no time: write 'YYYY-MM-DD hh:mm:ss' or the seconds since 1970", quote(text))
		}
	}
	return c.gives(k, func(v []any) any {
		s, _ := v[0].(string)
		n, _ := readTime(s, k.location())
		return n
	})
}

func readTime(text string, zone *time.Location) (seconds int64, ok bool) {
	text = strings.TrimSpace(text)
	for _, form := range []string{timeForm, "2006-01-02T15:04:05", dateForm} {
		if t, err := time.ParseInLocation(form, text, zone); err == nil {
			return t.Unix(), true
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// add moves a time by an interval of the calendar. A day that a month does not have is its last one.
func add(t time.Time, span interval) time.Time {
	n := int(span.n)
	switch span.unit {
	case "YEAR":
		return addMonths(t, 12*n)
	case "MONTH":
		return addMonths(t, n)
	case "DAY":
		return t.AddDate(0, 0, n)
	}
	return time.Unix(t.Unix()+span.n*seconds[span.unit], 0).In(t.Location())
}

var seconds = map[string]int64{"HOUR": 3600, "MINUTE": 60, "SECOND": 1}

func addMonths(t time.Time, n int) time.Time {
	n = min(max(n, -1_000_000), 1_000_000)
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

// startOf rounds a time down to the beginning of a span in a zone, nil for UTC.
func (c *called) startOf(span interval, zone *time.Location) expr {
	from := c.timed()
	k := kind{name: "DateTime", zone: zone}
	loc := k.location()
	return c.gives(k, func(v []any) any { return startOf(from.moment(v[0]).In(loc), span).Unix() })
}

func startOf(t time.Time, span interval) time.Time {
	n := int(min(span.n, 1_000_000_000))
	_, offset := t.Zone()
	local := t.Unix() + int64(offset)
	day := floorDiv(local, daySecs)
	midnight := func(day int64) time.Time {
		d := time.Unix(day*daySecs, 0).UTC()
		return time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, t.Location())
	}
	switch span.unit {
	case "YEAR":
		return time.Date(t.Year()-t.Year()%n, 1, 1, 0, 0, 0, 0, t.Location())
	case "MONTH":
		month := t.Year()*12 + int(t.Month()) - 1
		month -= month % n
		return time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, t.Location())
	case "WEEK":
		return midnight(day - int64(weekday(t)-1))
	case "DAY":
		return midnight(floorDiv(day, int64(n)) * int64(n))
	}
	step := int64(n) * seconds[span.unit]
	return time.Unix(floorDiv(local, step)*step-int64(offset), 0).In(t.Location())
}

func formatDateTime(c *called) expr {
	k := c.timed()
	c.wants(1, "a String", c.args[1].kind.name == "String")
	if !c.args[1].constant {
		c.refuse("argument 2 should be a constant")
	}
	form, _ := c.args[1].value().(string)
	zone := k.location()
	if len(c.args) > 2 {
		zone = c.zone(2)
	}
	for i := 0; i < len(form); i++ {
		if form[i] != '%' {
			continue
		}
		i++
		if i == len(form) || directives[form[i]] == nil {
			c.refuse("%s is no format: unknown %s", quote(form), quote(form[i-1:min(i+1, len(form))]))
		}
	}
	return c.gives(stringKind, func(v []any) any {
		t := k.moment(v[0]).In(zone)
		var b strings.Builder
		for i := 0; i < len(form); i++ {
			if form[i] != '%' {
				b.WriteByte(form[i])
				continue
			}
			i++
			b.WriteString(directives[form[i]](t))
		}
		return b.String()
	})
}

// directives are those of ClickHouse's formatDateTime.
var directives = map[byte]func(time.Time) string{}

func init() {
	layout := func(d byte, form string) {
		directives[d] = func(t time.Time) string { return t.Format(form) }
	}
	for d, form := range map[byte]string{'a': "Mon", 'b': "Jan", 'c': "01", 'd': "02", 'D': "01/02/06", 'e': "_2",
		'F': "2006-01-02", 'h': "03", 'H': "15", 'i': "04", 'I': "03", 'l': "_3", 'm': "01", 'M': "January", 'p': "PM",
		'r': "03:04 PM", 'R': "15:04", 's': "05", 'S': "05", 'T': "15:04:05", 'W': "Monday", 'y': "06", 'Y': "2006",
		'z': "-0700", 'j': "002"} {
		layout(d, form)
	}
	text := func(d byte, s string) { directives[d] = func(time.Time) string { return s } }
	text('n', "\n")
	text('t', "\t")
	text('%', "%")
	text('f', "0") // the times here have whole seconds
	n := func(d byte, width int, pad string, f func(time.Time) int) {
		directives[d] = func(t time.Time) string {
			s := strconv.Itoa(f(t))
			return strings.Repeat(pad, max(width-len(s), 0)) + s
		}
	}
	isoYear := func(t time.Time) int { y, _ := t.ISOWeek(); return y }
	n('C', 2, "0", func(t time.Time) int { return t.Year() / 100 })
	n('g', 2, "0", func(t time.Time) int { return isoYear(t) % 100 })
	n('G', 4, "0", isoYear)
	n('k', 2, " ", time.Time.Hour)
	n('l', 2, " ", func(t time.Time) int { return (t.Hour()+11)%12 + 1 })
	n('Q', 1, "0", func(t time.Time) int { return (int(t.Month())-1)/3 + 1 })
	n('u', 1, "0", weekday)
	n('V', 2, "0", func(t time.Time) int { _, w := t.ISOWeek(); return w })
	n('w', 1, "0", func(t time.Time) int { return int(t.Weekday()) })
}
