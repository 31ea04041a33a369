package jsregexp

import (
	"sort"
)

const maxRune = 0x10FFFF

type interval struct{ lo, hi rune }

// set is a sorted list of disjoint, non-adjacent intervals of code points. Values are immutable once published.
type set []interval

func single(r rune) set { return set{{r, r}} }

func (s set) contains(r rune) bool {
	from, to := 0, len(s)
	for from < to {
		if i := (from + to) / 2; s[i].hi < r {
			from = i + 1
		} else {
			to = i
		}
	}
	return from < len(s) && s[from].lo <= r
}

func normalize(s set) set {
	if len(s) < 2 {
		return s
	}
	sort.Slice(s, func(i, j int) bool { return s[i].lo < s[j].lo })
	out := s[:1]
	for _, x := range s[1:] {
		last := &out[len(out)-1]
		if x.lo <= last.hi+1 {
			last.hi = max(last.hi, x.hi)
		} else {
			out = append(out, x)
		}
	}
	return out
}

func union(sets ...set) set {
	var all set
	for _, s := range sets {
		all = append(all, s...)
	}
	return normalize(all)
}

func (s set) complement() set {
	var out set
	next := rune(0)
	for _, x := range s {
		if x.lo > next {
			out = append(out, interval{next, x.lo - 1})
		}
		next = x.hi + 1
	}
	if next <= maxRune {
		out = append(out, interval{next, maxRune})
	}
	return out
}

func intersect(a, b set) set {
	var out set
	for i, j := 0, 0; i < len(a) && j < len(b); {
		lo, hi := max(a[i].lo, b[j].lo), min(a[i].hi, b[j].hi)
		if lo <= hi {
			out = append(out, interval{lo, hi})
		}
		if a[i].hi < b[j].hi {
			i++
		} else {
			j++
		}
	}
	return out
}

func subtract(a, b set) set { return intersect(a, b.complement()) }

var (
	digits = set{{'0', '9'}}
	words  = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	// wordsFolded is \w under both u and i: ſ and K fold to s and k.
	wordsFolded = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0x17F, 0x17F}, {0x212A, 0x212A}}
	spaces      = set{
		{9, 13}, {32, 32}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
		{0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}}
	newlines   = set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
	everything = set{{0, maxRune}}
)
