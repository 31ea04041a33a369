package regexp

import (
	"strconv"
	"strings"
)

// nativeFits tells whether goja's own engine is right for a pattern. It knows only plain things and says no to the
// rest: no case folding of letters with partners beyond ASCII, no captures or empty turns inside repetitions, no
// look-around, and no pattern that goja's engine would make long: it goes through a pattern for each character of a
// text without looking at an interrupt.
func nativeFits(pattern, flags string) bool {
	if pattern == "" || strings.ContainsAny(flags, "duv") || unrolled(pattern) > maxNative {
		return false
	}
	fold := strings.Contains(flags, "i")
	multi := strings.Contains(flags, "m")
	type open struct{ capture, captures, risky bool }
	var stack []open
	risk := func() {
		for i := range stack {
			stack[i].risky = true
		}
	}
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c >= 0x80 || fold && strings.IndexByte("kKsS", c) >= 0 {
			return false
		}
		switch c {
		case '\\':
			i++
			if i >= len(pattern) || !plainEscape(pattern[i], fold) {
				return false
			}
		case '[':
			n := plainClass(pattern[i:], fold)
			if n < 0 {
				return false
			}
			i += n
		case '(':
			if strings.HasPrefix(pattern[i:], "(?") {
				if !strings.HasPrefix(pattern[i:], "(?:") {
					return false
				}
				i += 2
				stack = append(stack, open{})
				continue
			}
			for j := range stack {
				stack[j].captures = true
			}
			stack = append(stack, open{capture: true})
		case ')':
			if len(stack) == 0 {
				return false
			}
			g := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if i+1 < len(pattern) && strings.IndexByte("*+?{", pattern[i+1]) >= 0 && (g.captures || g.risky) {
				return false
			}
		case '*', '+', '?', '|':
			risk()
		case '{':
			n := plainBraces(pattern[i:])
			if n < 0 {
				return false
			}
			i += n
			risk()
		case '}', ']':
			return false
		case '^', '$':
			if multi {
				return false
			}
		}
	}
	return len(stack) == 0
}

// maxNative is the size up to which a pattern may be goja's.
const maxNative = 512

// unrolled is about the size of a pattern whose counted repetitions are written out, as goja's engine does it.
func unrolled(pattern string) int {
	const enough = maxNative + 1
	sizes, last := []int{0}, 0 // of the open groups; of what a repetition would repeat
	for i := 0; i < len(pattern); i++ {
		add := 1
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			if n := plainClass(pattern[i:], false); n > 0 {
				i += n
			}
		case '(':
			sizes, add = append(sizes, 0), 0
		case ')':
			if len(sizes) > 1 {
				add = sizes[len(sizes)-1] + 1
				sizes = sizes[:len(sizes)-1]
			}
		case '{':
			if n := plainBraces(pattern[i:]); n > 0 {
				lo, hi, _ := strings.Cut(pattern[i+1:i+n], ",")
				times, _ := strconv.Atoi(lo)
				if most, err := strconv.Atoi(hi); err == nil {
					times = most
				}
				add = last * max(times-1, 0)
				i += n
			}
		}
		top := &sizes[len(sizes)-1]
		*top, last = min(*top+add, enough), add
	}
	total := 0
	for _, n := range sizes {
		total += n
	}
	return total
}

func plainEscape(c byte, fold bool) bool {
	switch c {
	case 'd', 'D', 's', 'S', 't', 'n', 'r', 'f', 'v':
		return true
	case 'w', 'W', 'b', 'B':
		return !fold
	}
	return strings.IndexByte(`\/.*+?()[]{}|^$-,:;=!<>@#%&'"_~`+"`", c) >= 0 && c != '_'
}

// plainClass returns the length of a simple class less one, or -1.
func plainClass(s string, fold bool) int {
	i := 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	start := i
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == ']':
			if i == start || fold {
				return -1
			}
			return i
		case c == '\\':
			i++
			if i >= len(s) || s[i] == 'b' || s[i] == 'B' || !plainEscape(s[i], fold) {
				return -1
			}
			if strings.IndexByte("dDsSwW", s[i]) >= 0 && i+1 < len(s) && s[i+1] == '-' {
				return -1
			}
		case c == '[' || c == '&' || c >= 0x80:
			return -1
		case c == '-':
			if i != start && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '[') {
				return -1
			}
		}
	}
	return -1
}

// plainBraces returns the length of {n}, {n,} or {n,m} less one. It is -1 if none is there, or if a number is large.
func plainBraces(s string) int {
	end := strings.IndexByte(s, '}')
	if end < 2 || end > 9 {
		return -1
	}
	lo, hi, two := strings.Cut(s[1:end], ",")
	number := func(t string) int {
		n := 0
		for _, c := range t {
			if c < '0' || c > '9' {
				return -1
			}
			n = n*10 + int(c-'0')
		}
		return n
	}
	a := number(lo)
	if lo == "" || a < 0 || a > 1000 {
		return -1
	}
	if two && hi != "" {
		if b := number(hi); b < a || b > 1000 {
			return -1
		}
	}
	return end
}
