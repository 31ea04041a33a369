package jsregexp

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// foldSince15 are the foldings that Unicode 15.1 added and Go's tables do not have yet.
var foldSince15 = map[rune]rune{0x1FD3: 0x0390, 0x1FE3: 0x03B0, 0xFB06: 0xFB05}

// foldUnicode is Canonicalize for u and v: simple case folding. The least member of a folding orbit stands for it.
func foldUnicode(r rune) rune {
	if r < 0x80 {
		if r >= 'a' && r <= 'z' {
			return r - 32
		}
		return r
	}
	if f, ok := foldSince15[r]; ok {
		return f
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

var upperTable = sync.OnceValue(func() map[rune]rune {
	t := map[rune]rune{}
	full := cases.Upper(language.Und)
	for r := rune(0x80); r <= 0xFFFF; r++ {
		u := unicode.ToUpper(r)
		if u == r || r >= 0xD800 && r < 0xE000 {
			continue
		}
		// A mapping to several characters, or from beyond ASCII into it, is no mapping here.
		if s := full.String(string(r)); utf8.RuneCountInString(s) != 1 {
			continue
		}
		if u >= 0x80 && u <= 0xFFFF {
			t[r] = u
		}
	}
	return t
})

// foldLegacy is Canonicalize without u and v: toUppercase of one unit.
func foldLegacy(r rune) rune {
	if r < 0x80 {
		if r >= 'a' && r <= 'z' {
			return r - 32
		}
		return r
	}
	if u, ok := upperTable()[r]; ok {
		return u
	}
	return r
}

// lowerTable has for each character all others that foldLegacy makes it of.
var lowerTable = sync.OnceValue(func() map[rune][]rune {
	t := map[rune][]rune{}
	for r, u := range upperTable() {
		t[u] = append(t[u], r)
	}
	for r := 'A'; r <= 'Z'; r++ {
		t[r] = append(t[r], r+32)
	}
	return t
})

// fewFolded is how many characters a set of canonical forms has at most that is made one of characters.
const fewFolded = 256

// unfolded is the set of all characters whose canonical form is in s; ok is false if s is too large for that.
func (s set) unfolded(full bool) (all set, ok bool) {
	n := rune(0)
	for _, x := range s {
		if n += x.hi - x.lo + 1; n > fewFolded {
			return nil, false
		}
	}
	add := func(r rune) { all = append(all, interval{r, r}) }
	for _, x := range s {
		for r := x.lo; r <= x.hi; r++ {
			switch {
			case !full:
				if foldLegacy(r) == r {
					add(r)
				}
				for _, lower := range lowerTable()[r] {
					add(lower)
				}
			default:
				if foldUnicode(r) != r { // nothing folds to it
					continue
				}
				add(r)
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					add(f)
				}
				for f, to := range foldSince15 {
					if to == r {
						add(f)
					}
				}
			}
		}
	}
	return normalize(all), true
}

var foldCache sync.Map // foldCache maps a foldKey to a set.

type foldKey struct {
	unicode bool
	lo, hi  rune
}

// folded is the set of canonical forms of s.
func (s set) folded(full bool) set {
	fold := foldLegacy
	if full {
		fold = foldUnicode
	}
	var out set
	for _, x := range s {
		if x.hi-x.lo > 256 {
			out = append(out, foldedInterval(x, full)...)
			continue
		}
		for r := x.lo; r <= x.hi; r++ {
			f := fold(r)
			out = append(out, interval{f, f})
		}
	}
	return normalize(out)
}

// foldedInterval folds a large interval once for each process: complements and scripts recur in many patterns.
func foldedInterval(x interval, full bool) set {
	key := foldKey{full, x.lo, x.hi}
	if v, ok := foldCache.Load(key); ok {
		return v.(set)
	}
	fold := foldLegacy
	if full {
		fold = foldUnicode
	}
	var out set
	for r := x.lo; r <= x.hi; r++ {
		f := r
		if r < 0x1F000 {
			f = fold(r)
		}
		if n := len(out); n > 0 && out[n-1].hi+1 == f {
			out[n-1].hi = f
		} else {
			out = append(out, interval{f, f})
		}
	}
	out = normalize(out)
	foldCache.Store(key, out)
	return out
}

// closed adds to s every character that folds to the same as one of s (MaybeSimpleCaseFolding for sets under v and i).
func (s set) closed() set {
	out := append(set(nil), s...)
	for _, x := range s {
		for r := x.lo; r <= x.hi && r < 0x1F000; r++ {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				out = append(out, interval{f, f})
			}
		}
	}
	return normalize(out)
}
