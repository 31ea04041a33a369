package dialect

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

func init() {
	texts := func(names string, n int, k kind, f func(s []string) any) {
		register(names, n, n, func(c *called) expr {
			c.strings()
			return c.gives(k, func(v []any) any {
				s := make([]string, len(v))
				for i, x := range v {
					s[i], _ = x.(string)
				}
				return f(s)
			})
		})
	}
	texts("length", 1, countKind, func(s []string) any { return int64(utf8.RuneCountInString(s[0])) })
	texts("empty isEmpty", 1, byteKind, func(s []string) any { return bit(s[0] == "") })
	texts("lower", 1, stringKind, func(s []string) any { return strings.Map(plain('A', 'Z', 'a'-'A'), s[0]) })
	texts("upper", 1, stringKind, func(s []string) any { return strings.Map(plain('a', 'z', 'A'-'a'), s[0]) })
	texts("lowerUTF8 toLower", 1, stringKind, func(s []string) any { return strings.ToLower(s[0]) })
	texts("upperUTF8 toUpper", 1, stringKind, func(s []string) any { return strings.ToUpper(s[0]) })
	texts("startsWith", 2, byteKind, func(s []string) any { return bit(strings.HasPrefix(s[0], s[1])) })
	texts("endsWith", 2, byteKind, func(s []string) any { return bit(strings.HasSuffix(s[0], s[1])) })
	texts("position", 2, countKind, func(s []string) any {
		at := strings.Index(s[0], s[1])
		if at < 0 {
			return int64(0)
		}
		return int64(utf8.RuneCountInString(s[0][:at]) + 1)
	})
	register("like", 2, 2, func(c *called) expr { return c.like(false) })
	register("ilike", 2, 2, func(c *called) expr { return c.like(true) })
	register("match", 2, 2, func(c *called) expr { return c.matching(regexp.Compile) })
	register("substring", 2, 3, substring)
	register("format", 1, -1, formatted)
	register("bin", 1, 1, func(c *called) expr { return digits(c, 2) })
	register("hex", 1, 1, func(c *called) expr { return digits(c, 16) })
}

// plain maps the letters of ASCII only.
func plain(from, to, by rune) func(rune) rune {
	return func(r rune) rune {
		if r >= from && r <= to {
			return r + by
		}
		return r
	}
}

func substring(c *called) expr {
	c.wants(0, "a String", c.args[0].kind.name == "String")
	for i := 1; i < len(c.args); i++ {
		c.numeric(i)
	}
	return c.gives(stringKind, func(v []any) any {
		s, _ := v[0].(string)
		runes := []rune(s)
		from := whole(v[1])
		switch {
		case from > 0:
			from--
		case from < 0:
			from = max(int64(len(runes))+from, 0)
		}
		from = min(from, int64(len(runes)))
		to := int64(len(runes))
		if len(v) > 2 {
			to = min(to, from+min(max(whole(v[2]), 0), to))
		}
		return string(runes[from:to])
	})
}

func formatted(c *called) expr {
	c.wants(0, "a String", c.args[0].kind.name == "String")
	if !c.args[0].constant {
		c.refuse("argument 1 should be a constant")
	}
	form, _ := c.args[0].value().(string)
	parts := strings.Split(form, "{}")
	if strings.ContainsAny(strings.Join(parts, ""), "{}") {
		c.refuse("the text may have { and } only as {}")
	}
	if len(parts) != len(c.args) {
		c.refuse("the text has %d times {}, and there are %d values for it", len(parts)-1, len(c.args)-1)
	}
	args := c.args
	return c.gives(stringKind, func(v []any) any {
		var b strings.Builder
		for i, part := range parts {
			b.WriteString(part)
			if i+1 < len(parts) {
				b.WriteString(args[i+1].kind.text(v[i+1]))
			}
		}
		return b.String()
	})
}

// digits writes a number or the bytes of a text to a base, in whole bytes.
func digits(c *called, base int) expr {
	k := c.args[0].kind
	c.wants(0, "a number or a String", k.numeric() || k.name == "String")
	width := map[int]int{2: 8, 16: 2}[base]
	pad := func(n byte) string {
		s := strings.ToUpper(strconv.FormatUint(uint64(n), base))
		return strings.Repeat("0", width-len(s)) + s
	}
	return c.gives(stringKind, func(v []any) any {
		var b strings.Builder
		switch x := v[0].(type) {
		case string:
			for i := range len(x) {
				b.WriteString(pad(x[i]))
			}
		case float64:
			n := math.Float64bits(x)
			for i := range 8 {
				b.WriteString(pad(byte(n >> (8 * i)))) // as it lies in memory, like ClickHouse
			}
		default:
			n := word(x) & mask(k)
			for i := 7; i >= 0; i-- {
				if n>>(8*i) > 0 || i == 0 {
					b.WriteString(pad(byte(n >> (8 * i))))
				}
			}
		}
		return b.String()
	})
}

// quote is a text between quotes as ClickHouse writes it.
func quote(s string) string { return fmt.Sprintf("'%s'", strings.ReplaceAll(s, "'", `\'`)) }
