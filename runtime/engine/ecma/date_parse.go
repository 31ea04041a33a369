package ecma

import (
	"math"
	"time"
)

// parseDate is V8's Date.parse: the standard's ISO form, then V8's lenient one. The result is milliseconds, or NaN.
func parseDate(s string) float64 {
	p := &dateParser{in: newDateScanner(s)}
	t := p.iso()
	for readNumber := len(p.day) > 0; t.kind != tokenEnd; t = p.in.next() {
		if t.kind == tokenInvalid || !p.lenient(t, &readNumber) {
			return math.NaN()
		}
	}
	return p.result()
}

// dateParser collects the parts of a date. The ISO form hands over to the lenient one what it has read.
type dateParser struct {
	in      *dateScanner
	day     []int // up to three numbers; their order decides what they are
	month   int   // named, from 1; 0 is none
	isISO   bool
	clock   []int // hour, minute, second, millisecond
	half    int   // hours to add
	hasHalf bool
	zone    dateZone
}

// dateZone is an offset from UTC. Each of its parts may have been read without the others.
type dateZone struct {
	sign                int // 0 is none
	hour, minute        int
	hasHour, hasMinutes bool
}

func (z *dateZone) setHour(n int)    { z.hour, z.hasHour = n, true }
func (z *dateZone) setMinutes(n int) { z.minute, z.hasMinutes = n, true }
func (z *dateZone) utc() bool        { return z.hasHour && z.hasMinutes && z.hour == 0 && z.minute == 0 }

func (z *dateZone) setSign(t dateToken) {
	z.sign = 1
	if t.symbol('-') {
		z.sign = -1
	}
}

func (z *dateZone) setHours(n int) {
	z.sign = 1
	if n < 0 {
		z.sign, n = -1, -n
	}
	z.setHour(n)
	z.setMinutes(0)
}

// expectsMinutes tells whether n can be what stands behind an hour and a colon.
func (z *dateZone) expectsMinutes(n int) bool { return z.hasHour && !z.hasMinutes && n < 60 }

func (p *dateParser) addDay(n int) bool {
	p.day = append(p.day, n)
	return len(p.day) <= 3
}

func (p *dateParser) addClock(n int) bool {
	p.clock = append(p.clock, n)
	return len(p.clock) <= 4
}

// endClock adds the last number of the time.
func (p *dateParser) endClock(n int) {
	p.clock = append(p.clock, n)
	for len(p.clock) < 4 {
		p.clock = append(p.clock, 0)
	}
}

// expectsClock tells whether n can be the next number of a time that has begun.
func (p *dateParser) expectsClock(n int) bool {
	switch len(p.clock) {
	case 1, 2:
		return n < 60
	case 3:
		return n < 1000
	}
	return false
}

// iso reads the form of ECMA-262, 21.4.1.32. What does not fit before the time is left to the lenient form, whose first
// token it returns; what does not fit from the time on is invalid.
func (p *dateParser) iso() dateToken {
	in := p.in
	switch {
	case in.peek.sign():
		sign := in.next()
		if !in.peek.digits(6) {
			return sign
		}
		year := in.next().value
		if sign.symbol('-') {
			if year == 0 {
				return sign
			}
			year = -year
		}
		p.addDay(year)
	case in.peek.digits(4):
		p.addDay(in.next().value)
	default:
		return in.next()
	}
	for _, most := range []int{12, 31} {
		if !in.skip('-') {
			break
		}
		if !in.peek.digits(2) || in.peek.value < 1 || in.peek.value > most {
			return in.next()
		}
		p.addDay(in.next().value)
	}
	if in.peek.kind == tokenT {
		if !p.isoClock() || in.peek.kind != tokenEnd {
			return dateToken{kind: tokenInvalid}
		}
	} else if in.peek.kind != tokenEnd {
		return in.next()
	}
	p.isISO = true
	return dateToken{kind: tokenEnd}
}

// isoClock reads T, the time, and the zone if there is one.
func (p *dateParser) isoClock() bool {
	in := p.in
	in.next()
	two := func(most int) bool {
		if !in.peek.digits(2) || in.peek.value > most {
			return false
		}
		return p.addClock(in.next().value)
	}
	if !two(24) || !in.skip(':') || !two(59) {
		return false
	}
	if in.skip(':') {
		if !two(59) {
			return false
		}
		if in.skip('.') {
			if in.peek.kind != tokenNumber {
				return false
			}
			p.addClock(milliseconds(in.next()))
		}
	}
	if in.peek.utc() {
		in.next()
		p.zone.setHours(0)
	} else if in.peek.sign() {
		p.zone.setSign(in.next())
		hour, minute := in.peek.value/100, in.peek.value%100
		if !in.peek.digits(4) {
			if !in.peek.digits(2) {
				return false
			}
			hour = in.next().value
			if !in.skip(':') || !in.peek.digits(2) {
				return false
			}
			minute = in.peek.value
		}
		in.next()
		p.zone.setHour(hour)
		p.zone.setMinutes(minute)
		return hour < 24 && minute < 60
	}
	return true
}

// milliseconds are the first three digits behind a point.
func milliseconds(t dateToken) int {
	n, length := t.value, t.length
	for ; length < 3; length++ {
		n *= 10
	}
	for length = min(length, significantDigits); length > 3; length-- {
		n /= 10
	}
	return n
}

// lenient takes a token of V8's own form: numbers, names of months, a time and a zone in nearly any order. Other words
// may stand before the first number only.
func (p *dateParser) lenient(t dateToken, readNumber *bool) bool {
	switch {
	case t.kind == tokenNumber:
		*readNumber = true
		return p.lenientNumber(t.value)
	case t.kind == tokenHalf && len(p.clock) > 0:
		p.half, p.hasHalf = t.value, true
	case t.kind == tokenMonth:
		p.month = t.value
		p.in.skip('-')
	case t.kind == tokenZone && *readNumber:
		p.zone.setHours(t.value)
	case t.word():
		return !*readNumber && p.in.peek.kind != tokenNumber
	case t.sign() && (p.zone.utc() || len(p.clock) > 0):
		*readNumber = true
		return p.lenientOffset(t)
	case (t.sign() || t.symbol(')')) && *readNumber:
		return false
	}
	return true
}

func (p *dateParser) lenientNumber(n int) bool {
	in := p.in
	switch {
	case in.skip(':'):
		if in.skip(':') { // "1::2" has no minutes
			return len(p.clock) == 0 && p.addClock(n) && p.addClock(0)
		}
		if !p.addClock(n) {
			return false
		}
		in.skip('.')
	case in.skip('.') && p.expectsClock(n):
		p.addClock(n)
		if in.peek.kind != tokenNumber {
			return false
		}
		p.endClock(milliseconds(in.next()))
	case p.zone.expectsMinutes(n):
		p.zone.setMinutes(n)
	case p.expectsClock(n):
		p.endClock(n)
		next := in.peek
		return next.kind == tokenEnd || next.kind == tokenSpace || next.utc() || next.sign()
	default:
		if !p.addDay(n) {
			return false
		}
		in.skip('-')
	}
	return true
}

// lenientOffset reads the number behind the sign of a zone: hours, hours before a colon, or hours and minutes.
func (p *dateParser) lenientOffset(sign dateToken) bool {
	p.zone.setSign(sign)
	var t dateToken
	if p.in.peek.kind == tokenNumber {
		t = p.in.next()
	}
	switch {
	case p.in.peek.symbol(':'):
		p.zone.setHour(t.value)
		p.zone.hasMinutes = false
	case t.length == 1 || t.length == 2:
		p.zone.setHour(t.value)
		p.zone.setMinutes(0)
	case t.length == 3 || t.length == 4:
		p.zone.setHour(t.value / 100)
		p.zone.setMinutes(t.value % 100)
	default:
		return false
	}
	return true
}

// maxZone is the largest offset from UTC in seconds that V8 takes. maxYear is beyond what a Date can hold, and small
// enough for Go's time in milliseconds.
const maxZone, maxYear = 1<<30 - 1, 300_000

// result puts the parts together. A day may be up to 31 in any month, and 24:00:00 ends a day.
func (p *dateParser) result() float64 {
	if len(p.day) == 0 || len(p.clock) > 4 {
		return math.NaN()
	}
	n := append(p.day, 1, 1)[:3]
	first := n[0] >= 1 && n[0] <= 31 // the first number can be a day
	var year, month, day int
	switch {
	case p.month > 0 && first:
		day, month, year = n[0], p.month, n[1]
	case p.month > 0:
		year, month, day = n[0], p.month, n[1]
	case p.isISO || !first:
		year, month, day = n[0], n[1], n[2]
	default:
		month, day, year = n[0], n[1], n[2]
	}
	switch {
	case p.isISO:
	case year >= 0 && year <= 49:
		year += 2000
	case year >= 50 && year <= 99:
		year += 1900
	}
	clock := append(p.clock, 0, 0, 0, 0)[:4]
	hour, minute, second, ms := clock[0], clock[1], clock[2], clock[3]
	if p.hasHalf {
		if hour > 12 {
			return math.NaN()
		}
		hour = hour%12 + p.half
	}
	if month < 1 || month > 12 || day < 1 || day > 31 || minute > 59 || second > 59 || ms > 999 ||
		hour > 24 || hour == 24 && minute+second+ms > 0 {
		return math.NaN()
	}
	seconds := int(uint32(p.zone.hour)*3600 + uint32(p.zone.minute)*60) // V8's number wraps around, too
	if seconds > maxZone || year < -maxYear || year > maxYear {
		return math.NaN()
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, ms*1e6, time.UTC)
	if v := float64(t.UnixMilli()) - float64(p.zone.sign*seconds)*1000; math.Abs(v) <= 8.64e15 {
		return v
	}
	return math.NaN()
}
