package bounds

import "github.com/dop251/goja"

// timSort sorts as V8 does, step by step: which elements the comparison function sees, and in which order, decides what
// becomes of a list whose comparison function contradicts itself, such as () => Math.random() - 0.5 or (a, b) => a > b.
// It asks half as often as goja's sort of insertions does. The list belongs to nobody else while it is sorted.
type timSort struct {
	list []goja.Value
	// less says that a comes before b, by the comparison function's number being negative.
	less func(a, b goja.Value) bool
	runs []sortedRun
	kept []goja.Value // what a merge puts aside
	wins int          // after so many elements of one side in a row a merge looks for how many more there are
}

type sortedRun struct{ base, length int }

// leastWins is how many elements in a row must come from a side for a merge to go on searching.
const leastWins = 7

func (s *timSort) sort() {
	s.wins = leastWins
	n := len(s.list)
	if n < 2 {
		return
	}
	least := leastRun(n)
	for low := 0; low < n; {
		length := s.run(low)
		if forced := min(least, n-low); length < forced {
			s.insert(low, low+length, low+forced)
			length = forced
		}
		s.runs = append(s.runs, sortedRun{low, length})
		s.collapse()
		low += length
	}
	for len(s.runs) > 1 {
		i := len(s.runs) - 2
		if i > 0 && s.runs[i-1].length < s.runs[i+1].length {
			i--
		}
		s.merge(i)
	}
}

// leastRun is the length up to which runs are filled by insertion: between 32 and 64, so that n is a little less than a
// power of two of them.
func leastRun(n int) int {
	rest := 0
	for n >= 64 {
		rest |= n & 1
		n >>= 1
	}
	return n + rest
}

// run is the length of the longest sorted run that begins at low. One that descends is turned around.
func (s *timSort) run(low int) int {
	rest := s.list[low:]
	if len(rest) == 1 {
		return 1
	}
	n := 2
	descends := s.less(rest[1], rest[0])
	for n < len(rest) && s.less(rest[n], rest[n-1]) == descends {
		n++
	}
	if descends {
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			rest[i], rest[j] = rest[j], rest[i]
		}
	}
	return n
}

// insert sorts low to high, of which low to start is sorted.
func (s *timSort) insert(low, start, high int) {
	for ; start < high; start++ {
		pivot := s.list[start]
		left, right := low, start
		for left < right {
			if mid := left + (right-left)>>1; s.less(pivot, s.list[mid]) {
				right = mid
			} else {
				left = mid + 1
			}
		}
		copy(s.list[left+1:start+1], s.list[left:start])
		s.list[left] = pivot
	}
}

// collapse merges runs until each is longer than the two behind it together.
func (s *timSort) collapse() {
	balanced := func(i int) bool {
		return i < 2 || s.runs[i-2].length > s.runs[i-1].length+s.runs[i].length
	}
	for len(s.runs) > 1 {
		i := len(s.runs) - 2
		switch {
		case !balanced(i+1) || !balanced(i):
			if s.runs[i-1].length < s.runs[i+1].length {
				i--
			}
		case s.runs[i].length > s.runs[i+1].length:
			return
		}
		s.merge(i)
	}
}

// merge makes one of the runs i and i+1.
func (s *timSort) merge(i int) {
	a, b := s.runs[i], s.runs[i+1]
	s.runs[i].length += b.length
	s.runs = append(s.runs[:i+1], s.runs[i+2:]...)
	skip := s.after(s.list[a.base:a.base+a.length], s.list[b.base], 0)
	a.base, a.length = a.base+skip, a.length-skip
	if a.length == 0 {
		return
	}
	b.length = s.before(s.list[b.base:b.base+b.length], s.list[a.base+a.length-1], b.length-1)
	switch {
	case b.length == 0:
	case a.length <= b.length:
		s.mergeLow(a, b)
	default:
		s.mergeHigh(a, b)
	}
}

// before is where key belongs in a sorted list, before those that are equal to it. The search begins at hint.
func (s *timSort) before(list []goja.Value, key goja.Value, hint int) int {
	last, offset := 0, 1
	if s.less(list[hint], key) {
		most := len(list) - hint
		for offset < most && s.less(list[hint+offset], key) {
			last, offset = offset, offset<<1+1
		}
		last, offset = last+hint, min(offset, most)+hint
	} else {
		most := hint + 1
		for offset < most && !s.less(list[hint-offset], key) {
			last, offset = offset, offset<<1+1
		}
		last, offset = hint-min(offset, most), hint-last
	}
	for last++; last < offset; {
		if mid := last + (offset-last)>>1; s.less(list[mid], key) {
			last = mid + 1
		} else {
			offset = mid
		}
	}
	return offset
}

// after is before, but after those that are equal to key.
func (s *timSort) after(list []goja.Value, key goja.Value, hint int) int {
	last, offset := 0, 1
	if s.less(key, list[hint]) {
		most := hint + 1
		for offset < most && s.less(key, list[hint-offset]) {
			last, offset = offset, offset<<1+1
		}
		last, offset = hint-min(offset, most), hint-last
	} else {
		most := len(list) - hint
		for offset < most && !s.less(key, list[hint+offset]) {
			last, offset = offset, offset<<1+1
		}
		last, offset = last+hint, min(offset, most)+hint
	}
	for last++; last < offset; {
		if mid := last + (offset-last)>>1; s.less(key, list[mid]) {
			offset = mid
		} else {
			last = mid + 1
		}
	}
	return offset
}

// aside puts a run aside, so that its place can be overwritten.
func (s *timSort) aside(r sortedRun) []goja.Value {
	s.kept = append(s.kept[:0], s.list[r.base:r.base+r.length]...)
	return s.kept
}

// mergeLow merges neighbours, a not being the longer one, from the left. The first of b comes before all of a, and the
// last of a after all of b.
func (s *timSort) mergeLow(a, b sortedRun) {
	left, right := s.aside(a), s.list[b.base:b.base+b.length]
	dest := s.list[a.base : b.base+b.length] // what is still to fill
	takeLeft := func(n int) { dest, left = dest[copy(dest, left[:n]):], left[n:] }
	takeRight := func(n int) { dest, right = dest[copy(dest, right[:n]):], right[n:] }
	// When one side is over, the last of a belongs behind all of b, unless the comparison contradicts itself.
	defer func() {
		if len(left) == 1 && len(right) > 0 {
			takeRight(len(right))
		}
		copy(dest, left)
	}()
	if takeRight(1); len(right) == 0 || len(left) == 1 {
		return
	}
	for wins := s.wins; ; s.wins = wins {
		for lefts, rights := 0, 0; lefts < wins && rights < wins; {
			if s.less(right[0], left[0]) {
				takeRight(1)
				if lefts, rights = 0, rights+1; len(right) == 0 {
					return
				}
			} else {
				takeLeft(1)
				if lefts, rights = lefts+1, 0; len(left) == 1 {
					return
				}
			}
		}
		wins++
		for lefts, rights := leastWins, 0; lefts >= leastWins || rights >= leastWins; {
			wins = max(1, wins-1)
			s.wins = wins
			if lefts = s.after(left, right[0], 0); lefts > 0 {
				if takeLeft(lefts); len(left) <= 1 {
					return
				}
			}
			if takeRight(1); len(right) == 0 {
				return
			}
			if rights = s.before(right, left[0], 0); rights > 0 {
				if takeRight(rights); len(right) == 0 {
					return
				}
			}
			if takeLeft(1); len(left) == 1 {
				return
			}
		}
		wins++
	}
}

// mergeHigh merges neighbours, b being the shorter one, from the right.
func (s *timSort) mergeHigh(a, b sortedRun) {
	left, right := s.list[a.base:a.base+a.length], s.aside(b)
	dest := s.list[a.base : b.base+b.length]
	take := func(from *[]goja.Value, n int) {
		rest := len(*from) - n
		copy(dest[len(dest)-n:], (*from)[rest:])
		dest, *from = dest[:len(dest)-n], (*from)[:rest]
	}
	defer func() {
		if len(right) == 1 && len(left) > 0 {
			take(&left, len(left))
		}
		copy(dest, right)
	}()
	last := func(list []goja.Value) goja.Value { return list[len(list)-1] }
	if take(&left, 1); len(left) == 0 || len(right) == 1 {
		return
	}
	for wins := s.wins; ; s.wins = wins {
		for lefts, rights := 0, 0; lefts < wins && rights < wins; {
			if s.less(last(right), last(left)) {
				take(&left, 1)
				if lefts, rights = lefts+1, 0; len(left) == 0 {
					return
				}
			} else {
				take(&right, 1)
				if lefts, rights = 0, rights+1; len(right) == 1 {
					return
				}
			}
		}
		wins++
		for lefts, rights := leastWins, 0; lefts >= leastWins || rights >= leastWins; {
			wins = max(1, wins-1)
			s.wins = wins
			if lefts = len(left) - s.after(left, last(right), len(left)-1); lefts > 0 {
				if take(&left, lefts); len(left) == 0 {
					return
				}
			}
			if take(&right, 1); len(right) == 1 {
				return
			}
			if rights = len(right) - s.before(right, last(left), len(right)-1); rights > 0 {
				if take(&right, rights); len(right) <= 1 {
					return
				}
			}
			if take(&left, 1); len(left) == 0 {
				return
			}
		}
		wins++
	}
}
