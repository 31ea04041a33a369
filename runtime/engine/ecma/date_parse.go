package ecma

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var isoDate = regexp.MustCompile(
	`^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d:?\d\d)?)?$`)

// parseDate is V8's Date.parse: the standard's ISO form, then V8's lenient one. The result is milliseconds, or NaN.
func parseDate(s string) float64 {
	s = strings.TrimSpace(s)
	if m := isoDate.FindStringSubmatch(s); m != nil && m[1] != "-000000" {
		return isoTime(m)
	}
	p := &dateParser{s: s, hour: -1, zone: -1 << 31}
	if !p.parse() {
		return math.NaN()
	}
	return p.result()
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // the caller's pattern has checked the digits
	return n
}

func isoTime(m []string) float64 {
	month, day := 1, 1
	if m[2] != "" {
		month = atoi(m[2])
	}
	if m[3] != "" {
		day = atoi(m[3])
	}
	h, min, sec := atoi(m[4]), atoi(m[5]), atoi(m[6])
	ms := 0
	if m[7] != "" {
		ms = atoi((m[7] + "000")[:3])
	}
	offset := 0
	if z := m[8]; z != "" && z != "Z" {
		digits := strings.Replace(z[1:], ":", "", 1)
		offset = atoi(digits[:2])*60 + atoi(digits[2:])
		if z[0] == '-' {
			offset = -offset
		}
	}
	return makeTime(atoi(m[1]), month, day, h, min, sec, ms, offset)
}

// makeTime checks ranges as V8 does: a day up to 31 in any month, 24:00:00 as the end of a day.
func makeTime(year, month, day, h, min, sec, ms, offsetMinutes int) float64 {
	if month < 1 || month > 12 || day < 1 || day > 31 || h > 24 || h == 24 && min+sec+ms > 0 || min > 59 || sec > 59 {
		return math.NaN()
	}
	t := time.Date(year, time.Month(month), day, h, min-offsetMinutes, sec, ms*1e6, time.UTC)
	v := float64(t.UnixMilli())
	if math.Abs(v) > 8.64e15 {
		return math.NaN()
	}
	return v
}

// dateParser reads V8's lenient form: numbers, month names, a clock time, a zone; other words only before any number.
type dateParser struct {
	s          string
	pos        int
	nums       []int
	month      int // named, from 1
	monthAt    int // how many numbers came before it
	hour, min  int
	sec, ms    int
	half       int // 1 for AM, 2 for PM
	zone       int // minutes; lowest value is none
	readNumber bool
}

const noZone = -1 << 31

var monthNames = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
	"dec": 12}

var zoneNamesUS = map[string]int{
	"utc": 0, "ut": 0, "gmt": 0, "z": 0, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360,
	"pst": -480, "pdt": -420}

func (p *dateParser) number() (n, digits int) {
	start := p.pos
	for p.pos < len(p.s) && p.s[p.pos] >= '0' && p.s[p.pos] <= '9' {
		if n < 1e8 {
			n = n*10 + int(p.s[p.pos]-'0')
		}
		p.pos++
	}
	return n, p.pos - start
}

func (p *dateParser) peek() byte {
	if p.pos < len(p.s) {
		return p.s[p.pos]
	}
	return 0
}

func (p *dateParser) parse() bool {
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		switch {
		case c >= '0' && c <= '9':
			if !p.numeric() {
				return false
			}
			p.readNumber = true
		case c == '(':
			depth := 0
			for ; p.pos < len(p.s); p.pos++ {
				if p.s[p.pos] == '(' {
					depth++
				} else if p.s[p.pos] == ')' {
					if depth--; depth == 0 {
						p.pos++
						break
					}
				}
			}
		case c|32 >= 'a' && c|32 <= 'z' || c >= 0x80:
			if !p.word() {
				return false
			}
		case (c == '+' || c == '-') && (p.hour >= 0 || p.zone == 0):
			if !p.offset(c) {
				return false
			}
		case (c == '+' || c == ')') && p.readNumber:
			return false
		default:
			p.pos++
		}
	}
	return true
}

func (p *dateParser) numeric() bool {
	n, digits := p.number()
	switch c := p.peek(); {
	case c == ':' && p.hour < 0:
		p.hour = n
		p.pos++
		m, d := p.number()
		if d == 0 {
			return false
		}
		p.min = m
		if p.peek() == ':' {
			p.pos++
			if p.sec, d = p.number(); d == 0 {
				return false
			}
			if p.peek() == '.' {
				p.pos++
				start := p.pos
				if _, d = p.number(); d == 0 {
					return false
				}
				p.ms = atoi((p.s[start:p.pos] + "000")[:3])
			}
		}
	default:
		if len(p.nums) == 3 || digits > 6 {
			return false
		}
		p.nums = append(p.nums, n)
		if c == '-' || c == '/' || c == '.' {
			p.pos++
		}
	}
	return true
}

func (p *dateParser) word() bool {
	start := p.pos
	for p.pos < len(p.s) && (p.s[p.pos]|32 >= 'a' && p.s[p.pos]|32 <= 'z' || p.s[p.pos] >= 0x80) {
		p.pos++
	}
	w := strings.ToLower(p.s[start:p.pos])
	switch {
	case (w == "am" || w == "pm") && p.hour >= 0:
		p.half = 1
		if w == "pm" {
			p.half = 2
		}
		return true
	case len(w) >= 3 && monthNames[w[:3]] > 0:
		p.month, p.monthAt = monthNames[w[:3]], len(p.nums)
		if p.peek() == '-' || p.peek() == '/' {
			p.pos++
		}
		return true
	}
	if z, ok := zoneNamesUS[w]; ok && p.readNumber {
		p.zone = z
		return true
	}
	return !p.readNumber
}

func (p *dateParser) offset(sign byte) bool {
	p.pos++
	n, digits := p.number()
	if digits == 0 {
		return false
	}
	var minutes int
	switch {
	case p.peek() == ':':
		p.pos++
		m, d := p.number()
		if d == 0 {
			return false
		}
		minutes = n*60 + m
	case digits <= 2:
		minutes = n * 60
	default:
		minutes = n/100*60 + n%100
	}
	if sign == '-' {
		minutes = -minutes
	}
	p.zone = minutes
	return true
}

func (p *dateParser) result() float64 {
	if len(p.nums) == 0 {
		return math.NaN()
	}
	day := func(n int) bool { return n >= 1 && n <= 31 }
	year, month, d := 2001, p.month, 1
	n := p.nums
	if p.month > 0 {
		switch {
		case len(n) == 1 && day(n[0]):
			d = n[0]
		case len(n) == 1:
			year = n[0]
		case !day(n[0]):
			year, d = n[0], n[1]
		default:
			d, year = n[0], n[1]
		}
	} else {
		switch {
		case len(n) == 3 && !day(n[0]):
			year, month, d = n[0], n[1], n[2]
		case len(n) == 3:
			month, d, year = n[0], n[1], n[2]
		case len(n) == 2 && !day(n[0]):
			year, month = n[0], n[1]
		case len(n) == 2:
			month, d = n[0], n[1]
		case day(n[0]) && n[0] <= 12:
			month = n[0]
		default:
			year, month = n[0], 1
		}
	}
	switch {
	case year >= 0 && year <= 49:
		year += 2000
	case year >= 50 && year <= 99:
		year += 1900
	}
	h := max(p.hour, 0)
	if p.half > 0 {
		if h < 1 || h > 12 {
			return math.NaN()
		}
		h %= 12
		if p.half == 2 {
			h += 12
		}
	}
	zone := 0
	if p.zone != noZone {
		zone = p.zone
	}
	return makeTime(year, month, d, h, p.min, p.sec, p.ms, zone)
}
