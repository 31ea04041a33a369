package dialect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is the type of a value. A value is a string, a float64, an int64 (all integers, and Bool), an int64 of seconds
// (DateTime) or of days (Date) since 1970, an interval, or a []any.
type kind struct {
	// name is ClickHouse's, without parameters: String, Float64, UInt8 …, Int64, Bool, DateTime, Date, Array, Interval.
	name string
	zone *time.Location // of a DateTime; nil is UTC
	of   *kind          // of an Array
}

var (
	stringKind   = kind{name: "String"}
	floatKind    = kind{name: "Float64"}
	boolKind     = kind{name: "Bool"}
	byteKind     = kind{name: "UInt8"}
	shortKind    = kind{name: "UInt16"}
	uintKind     = kind{name: "UInt32"}
	countKind    = kind{name: "UInt64"}
	intKind      = kind{name: "Int64"}
	timeKind     = kind{name: "DateTime"}
	dateKind     = kind{name: "Date"}
	intervalKind = kind{name: "Interval"}
)

// interval is a span of the calendar.
type interval struct {
	n    int64
	unit string
}

// String is the kind as the meta part of an answer has it.
func (k kind) String() string {
	switch {
	case k.name == "Array":
		return "Array(" + k.of.String() + ")"
	case k.zone != nil:
		return "DateTime('" + k.zone.String() + "')"
	}
	return k.name
}

// bits is the width of an integer, 0 of anything else.
func (k kind) bits() int {
	switch k.name {
	case "Bool":
		return 8
	case "UInt8", "UInt16", "UInt32", "UInt64":
		n, _ := strconv.Atoi(k.name[4:]) // one of four constants
		return n
	case "Int8", "Int16", "Int32", "Int64":
		n, _ := strconv.Atoi(k.name[3:]) // one of four constants
		return n
	}
	return 0
}

func (k kind) signed() bool  { return strings.HasPrefix(k.name, "Int") && k.name != "Interval" }
func (k kind) integer() bool { return k.bits() > 0 }
func (k kind) numeric() bool { return k.integer() || k.name == "Float64" }
func (k kind) timed() bool   { return k.name == "DateTime" || k.name == "Date" }

func (k kind) location() *time.Location {
	if k.zone != nil {
		return k.zone
	}
	return time.UTC
}

// integer makes the kind of an integer.
func integerOf(bits int, signed bool) kind {
	if signed {
		return kind{name: "Int" + strconv.Itoa(bits)}
	}
	return kind{name: "UInt" + strconv.Itoa(bits)}
}

// literal is the narrowest kind of a whole number.
func literal(n int64) kind {
	if n < 0 {
		switch {
		case n >= math.MinInt8:
			return integerOf(8, true)
		case n >= math.MinInt16:
			return integerOf(16, true)
		case n >= math.MinInt32:
			return integerOf(32, true)
		}
		return intKind
	}
	switch {
	case n <= math.MaxUint8:
		return byteKind
	case n <= math.MaxUint16:
		return shortKind
	case n <= math.MaxUint32:
		return uintKind
	}
	return countKind
}

// common is the kind that values of both have together; ok is false if there is none.
func common(a, b kind) (k kind, ok bool) {
	switch {
	case a.String() == b.String():
		return a, true
	case a.integer() && b.integer():
		return integerOf(max(a.bits(), b.bits()), a.signed() || b.signed()), true
	case a.numeric() && b.numeric():
		return floatKind, true
	case a.timed() && b.timed():
		return timeKind, true
	case a.name == "Array" && b.name == "Array":
		of, ok := common(*a.of, *b.of)
		return kind{name: "Array", of: &of}, ok
	}
	return kind{}, false
}

// wrap cuts an integer to the width of its kind.
func (k kind) wrap(n int64) int64 {
	switch k.name {
	case "UInt8", "Bool":
		return int64(uint8(n))
	case "UInt16":
		return int64(uint16(n))
	case "UInt32":
		return int64(uint32(n))
	case "Int8":
		return int64(int8(n))
	case "Int16":
		return int64(int16(n))
	case "Int32":
		return int64(int32(n))
	}
	return n
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// whole is a number as an integer: what does not fit becomes the nearest that does.
func whole(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		switch {
		case math.IsNaN(v):
			return 0
		case v >= math.MaxInt64:
			return math.MaxInt64
		case v <= math.MinInt64:
			return math.MinInt64
		}
		return int64(v)
	}
	return 0
}

func truth(v any) bool {
	switch v := v.(type) {
	case int64:
		return v != 0
	case float64:
		return v != 0
	}
	return false
}

func bit(b bool) any {
	if b {
		return int64(1)
	}
	return int64(0)
}

// compare orders two values of kinds that have one in common.
func compare(a, b any) int {
	switch x := a.(type) {
	case string:
		y, _ := b.(string)
		return strings.Compare(x, y)
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	case []any:
		y, _ := b.([]any)
		return slices.CompareFunc(x, y, compare)
	}
	return cmp.Compare(number(a), number(b))
}

const (
	timeForm = "2006-01-02 15:04:05"
	dateForm = "2006-01-02"
	daySecs  = 24 * 60 * 60
)

// moment is a DateTime or a Date as a time in its zone.
func (k kind) moment(v any) time.Time {
	n := whole(v)
	if k.name == "Date" {
		return time.Unix(n*daySecs, 0).UTC()
	}
	return time.Unix(n, 0).In(k.location())
}

// text is a value as a person reads it, and as TabSeparated has it before it is escaped.
func (k kind) text(v any) string {
	switch k.name {
	case "DateTime":
		return k.moment(v).Format(timeForm)
	case "Date":
		return k.moment(v).Format(dateForm)
	case "Bool":
		return strconv.FormatBool(truth(v))
	case "Interval":
		span, _ := v.(interval)
		return strconv.FormatInt(span.n, 10)
	case "Array":
		list, _ := v.([]any)
		parts := make([]string, len(list))
		for i, e := range list {
			if parts[i] = k.of.text(e); k.of.name == "String" || k.of.timed() {
				parts[i] = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(parts[i]) + "'"
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v):
			return "nan"
		case math.IsInf(v, 0):
			return strings.TrimPrefix(strings.ToLower(fmt.Sprint(v)), "+")
		}
		if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e21) {
			return strconv.FormatFloat(v, 'e', -1, 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		if k.name == "UInt64" {
			return strconv.FormatUint(uint64(v), 10)
		}
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(v)
}
