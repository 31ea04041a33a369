package jsregexp

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"unicode/utf16"
)

// ErrStopped says that the caller's stop function has ended a match. ErrStack says that the pattern needed more memory
// for backtracking than V8 grants; a script gets a RangeError then.
var (
	ErrStopped = errors.New("regular expression stopped")
	ErrStack   = errors.New("regular expression: backtracking stack exhausted")
)

// Text is what a program runs over: bytes of ASCII text, or UTF-16 units.
type Text interface{ byte | uint16 }

type choiceKind uint8

const (
	choiceBranch choiceKind = iota // try pc at pos
	choiceUndo                     // regs[pc] = pos
	choiceGreedy                   // greedy run that may give back: pos down to low
	choiceLazy                     // lazy run that may take more: pos, taken low so far
)

type choice struct {
	kind choiceKind
	pc   int32
	pos  int32
	low  int32
}

const maxChoices = 4 << 20 // 64 MB, as in V8

// Characters that a run goes over count as steps, 1 << workShift of them as one.
const workShift = 3

type machine[T Text] struct {
	p     *Program
	in    []T
	bytes []byte // in, if it is ASCII
	regs  []int32
	stack []choice
	looks int   // look-arounds under way
	found int32 // where what the program needs was found last, -1 if it was not looked for
	// ticks count the steps that can be many; at asks, stop is asked.
	ticks, asks int
	stop        func() bool
	err         error
}

// Machines are used again. keptChoices is how much of a stack is kept.
var (
	asciiMachines = sync.Pool{New: func() any { return &machine[byte]{} }}
	wideMachines  = sync.Pool{New: func() any { return &machine[uint16]{} }}
)

const (
	keptChoices  = 1 << 12
	betweenStops = 1 << 14
)

// MatchASCII runs p over ASCII text from a position; see match.
func (p *Program) MatchASCII(in []byte, start int, sticky bool, stop func() bool) ([]int32, error) {
	m := asciiMachines.Get().(*machine[byte])
	defer asciiMachines.Put(m)
	m.bytes = in
	found, err := m.match(p, in, start, sticky, stop)
	return slices.Clone(found), err
}

// MatchUTF16 runs p over UTF-16 units from a position; see match.
func (p *Program) MatchUTF16(in []uint16, start int, sticky bool, stop func() bool) ([]int32, error) {
	m := wideMachines.Get().(*machine[uint16])
	defer wideMachines.Put(m)
	found, err := m.match(p, in, start, sticky, stop)
	return slices.Clone(found), err
}

// match finds the first match at or after start (at start only, if sticky) and returns the bounds of its groups in
// units, -1 for groups that took no part, until the machine's next match; nil for none. stop, if
// not nil, is asked now and then.
func (m *machine[T]) match(p *Program, in []T, start int, sticky bool, stop func() bool) ([]int32, error) {
	m.p, m.in, m.stop, m.ticks, m.asks, m.looks, m.found, m.err = p, in, stop, 0, betweenStops, 0, -1, nil
	m.stack = m.stack[:0]
	if cap(m.regs) < p.regs {
		m.regs = make([]int32, p.regs)
	}
	m.regs = m.regs[:p.regs]
	found := m.search(int32(start), sticky)
	err := m.err
	m.p, m.in, m.bytes, m.stop, m.err = nil, nil, nil, nil, nil
	if cap(m.stack) > keptChoices {
		m.stack = nil
	}
	if err != nil || !found {
		return nil, err
	}
	return m.regs[:2*p.groups], nil
}

// A Matcher matches without memory for each match: what it returns holds until the next one. It is for one goroutine,
// and stop must not match.
type Matcher struct {
	ascii machine[byte]
	wide  machine[uint16]
}

// ASCII is [Program.MatchASCII].
func (x *Matcher) ASCII(p *Program, in []byte, start int, sticky bool, stop func() bool) ([]int32, error) {
	x.ascii.bytes = in
	return x.ascii.match(p, in, start, sticky, stop)
}

// UTF16 is [Program.MatchUTF16].
func (x *Matcher) UTF16(p *Program, in []uint16, start int, sticky bool, stop func() bool) ([]int32, error) {
	return x.wide.match(p, in, start, sticky, stop)
}

func (m *machine[T]) search(pos int32, sticky bool) bool {
	p := m.p
	if p.beyond && m.bytes != nil {
		return false
	}
	if p.full && pos > 0 && int(pos) < len(m.in) && isLow(m.in[pos]) && isHigh(m.in[pos-1]) {
		pos--
	}
	if p.fixed {
		if pos > 0 {
			return false
		}
		sticky = true
	}
	for {
		if !sticky {
			if p.lines {
				if pos = m.line(pos); pos < 0 {
					return false
				}
			}
			if p.need != nil {
				if pos = m.reach(pos); pos < 0 {
					return false
				}
			}
			if pos = m.skip(pos); pos < 0 {
				return false
			}
		}
		for i := range m.regs {
			m.regs[i] = -1
		}
		if m.can(p.start, pos) && m.run(0, pos, 0) && m.err == nil {
			return true
		}
		if m.err != nil || sticky || int(pos) >= len(m.in) {
			return false
		}
		m.stack = m.stack[:0]
		_, pos = m.next(pos)
	}
}

// skip advances to where a match can begin, or returns -1.
func (m *machine[T]) skip(pos int32) int32 {
	t, h := m.p.first, m.p.start
	if m.bytes != nil && len(m.p.text) > 0 {
		i := bytes.Index(m.bytes[pos:], m.p.text)
		if i < 0 {
			return -1
		}
		return pos + int32(i)
	}
	if t == nil && h == nil {
		return pos
	}
	from := pos
	if h != nil && int(pos)+int(h.least) > len(m.in) {
		return -1
	}
	for int(pos) < len(m.in) {
		c := uint16(m.in[pos])
		switch {
		case h != nil && c < 128:
			if h.ascii[c>>6]>>(c&63)&1 != 0 && (m.p.second == nil || m.can(m.p.second, pos+1)) {
				m.ticks += int(pos - from)
				return pos
			}
			pos++
		default:
			r, after := m.next(pos)
			if (t == nil || t.takes(r)) && (h == nil || c < 128 || h.wide) {
				m.ticks += int(pos - from)
				return pos
			}
			pos = after
		}
	}
	if t == nil && (h == nil || h.end) {
		return pos
	}
	return -1
}

// can tells whether what is ahead allows a match to go on at pos.
func (m *machine[T]) can(h *heads, pos int32) bool {
	if h == nil {
		return true
	}
	if left := len(m.in) - int(pos); left <= 0 {
		return h.end
	} else if left < int(h.least) {
		return false
	}
	if c := uint16(m.in[pos]); c < 128 {
		return h.ascii[c>>6]>>(c&63)&1 != 0
	}
	return h.wide
}

func isHigh[T Text](c T) bool { return uint16(c)&0xFC00 == 0xD800 }
func isLow[T Text](c T) bool  { return uint16(c)&0xFC00 == 0xDC00 }

// next reads the character at pos, which must be inside the text.
func (m *machine[T]) next(pos int32) (rune, int32) {
	c := m.in[pos]
	if m.p.full && isHigh(c) && int(pos)+1 < len(m.in) && isLow(m.in[pos+1]) {
		return utf16.DecodeRune(rune(c), rune(m.in[pos+1])), pos + 2
	}
	return rune(c), pos + 1
}

// prev reads the character before pos, which must be above 0.
func (m *machine[T]) prev(pos int32) (rune, int32) {
	c := m.in[pos-1]
	if m.p.full && isLow(c) && pos > 1 && isHigh(m.in[pos-2]) {
		return utf16.DecodeRune(rune(m.in[pos-2]), rune(c)), pos - 2
	}
	return rune(c), pos - 1
}

// step reads one character in a direction.
func (m *machine[T]) step(pos int32, back bool) (r rune, after int32, ok bool) {
	if back {
		if pos == 0 {
			return 0, 0, false
		}
		r, after = m.prev(pos)
		return r, after, true
	}
	if int(pos) >= len(m.in) {
		return 0, 0, false
	}
	r, after = m.next(pos)
	return r, after, true
}

func (m *machine[T]) push(f choice) {
	if len(m.stack) >= maxChoices {
		m.err = ErrStack
		return
	}
	m.stack = append(m.stack, f)
}

func (m *machine[T]) setReg(i, v int32) {
	if m.regs[i] == v {
		return
	}
	if len(m.stack) == 0 && m.looks == 0 { // nothing is left to go back to
		m.regs[i] = v
	} else {
		m.push(choice{kind: choiceUndo, pc: i, pos: m.regs[i]})
		m.regs[i] = v
	}
}

// run executes from pc until opMatch or opLookEnd; it never pops below base.
func (m *machine[T]) run(pc, pos int32, base int) bool {
	code := m.p.code
	for {
		in := &code[pc]
		ok := true
		switch in.op {
		case opMatch, opLookEnd:
			return true
		case opChar:
			if !in.back && in.r < 0xD800 {
				if ok = int(pos) < len(m.in) && rune(m.in[pos]) == in.r; ok {
					pos++
				}
			} else {
				var r rune
				var after int32
				if r, after, ok = m.step(pos, in.back); ok {
					if ok = r == in.r; ok {
						pos = after
					}
				}
			}
			pc++
		case opText:
			n := int32(len(in.text))
			if ok = int(pos)+int(n) <= len(m.in); ok {
				for i, c := range in.text {
					if uint16(m.in[int(pos)+i]) != c {
						ok = false
						break
					}
				}
				pos += n
			}
			pc++
		case opSet:
			if !in.back && int(pos) < len(m.in) && uint16(m.in[pos]) < 128 {
				c := uint16(m.in[pos])
				ok = in.test.ascii[c>>6]>>(c&63)&1 != 0
				pos++
				pc++
				break
			}
			var r rune
			var after int32
			if r, after, ok = m.step(pos, in.back); ok {
				if ok = in.test.takes(r); ok {
					pos = after
				}
			}
			pc++
		case opRun:
			pos, ok = m.take(in, pc, pos)
			pc++
		case opSplit:
			if !m.can(in.ahead, pos) {
				pc = in.y
				break
			}
			if m.can(in.other, pos) {
				m.push(choice{kind: choiceBranch, pc: in.y, pos: pos})
			}
			pc = in.x
		case opJump:
			pc = in.x
		case opSave, opMark:
			m.setReg(in.x, pos)
			pc++
		case opReset:
			for i := in.x; i < in.y; i++ {
				m.setReg(i, -1)
			}
			pc++
		case opSetReg:
			m.setReg(in.x, 0)
			pc++
		case opLoop:
			switch n := m.regs[in.x]; {
			case n < in.min:
				pc++
			case n >= in.max:
				pc = in.y
			case !m.can(in.ahead, pos):
				pc = in.y
			case !m.can(in.other, pos):
				pc++
			case in.lazy:
				m.push(choice{kind: choiceBranch, pc: pc + 1, pos: pos})
				pc = in.y
			default:
				m.push(choice{kind: choiceBranch, pc: in.y, pos: pos})
				pc++
			}
		case opAgain:
			n := m.regs[in.x]
			if n >= in.min && m.regs[in.max] == pos {
				ok = false
				break
			}
			m.setReg(in.x, n+1)
			pc = in.y
		case opLook:
			ok = m.look(in, pc, pos)
			pc = in.x
		case opBackref:
			pos, ok = m.backref(in, pos)
			pc++
		case opStart:
			ok = pos == 0 || in.multi && newlines.contains(rune(m.in[pos-1]))
			pc++
		case opEnd:
			ok = int(pos) == len(m.in) || in.multi && newlines.contains(rune(m.in[pos]))
			pc++
		case opBoundary:
			a := pos > 0 && in.test.takes(rune(m.in[pos-1]))
			b := int(pos) < len(m.in) && in.test.takes(rune(m.in[pos]))
			ok = (a != b) != in.neg
			pc++
		default:
			ok = false
		}
		if !ok {
			if pc, pos, ok = m.fail(base); !ok {
				return false
			}
		}
	}
}

// fail takes the newest choice and undoes what was set since it was made.
func (m *machine[T]) fail(base int) (pc, pos int32, ok bool) {
	if m.ticks++; m.ticks >= m.asks {
		if m.asks = m.ticks + betweenStops; m.stop != nil && m.stop() {
			m.err = ErrStopped
		}
	}
	if m.err != nil {
		return 0, 0, false
	}
	for len(m.stack) > base {
		f := &m.stack[len(m.stack)-1]
		switch f.kind {
		case choiceUndo:
			m.regs[f.pc] = f.pos
			m.stack = m.stack[:len(m.stack)-1]
		case choiceBranch:
			pc, pos = f.pc, f.pos
			m.stack = m.stack[:len(m.stack)-1]
			return pc, pos, true
		case choiceGreedy:
			pc = f.pc
			ahead := m.p.code[pc-1].ahead
			_, pos = m.prev(f.pos)
			for pos > f.low && !m.can(ahead, pos) {
				_, pos = m.prev(pos)
			}
			m.ticks += int(f.pos-pos) >> workShift
			pos = max(pos, f.low)
			if f.pos = pos; pos <= f.low {
				m.stack = m.stack[:len(m.stack)-1]
			}
			return pc, pos, true
		case choiceLazy:
			in := &m.p.code[f.pc-1]
			from := f.pos
			for f.low < in.max && int(f.pos) < len(m.in) {
				r, after := m.next(f.pos)
				if !in.test.takes(r) {
					break
				}
				f.pos = after
				f.low++
				if m.can(in.ahead, after) {
					m.ticks += int(after-from) >> workShift
					return f.pc, after, true
				}
			}
			m.ticks += int(f.pos-from) >> workShift
			m.stack = m.stack[:len(m.stack)-1]
		}
	}
	return 0, 0, false
}

// take reads the characters that a run of single tests takes at first: all that it can, or its minimum if it is lazy.
func (m *machine[T]) take(in *inst, pc, pos int32) (int32, bool) {
	t := in.test
	n := int32(0)
	for ; n < in.min; n++ {
		if int(pos) >= len(m.in) {
			return pos, false
		}
		r, after := m.next(pos)
		if !t.takes(r) {
			return pos, false
		}
		pos = after
	}
	if in.lazy {
		if n < in.max {
			m.push(choice{kind: choiceLazy, pc: pc + 1, pos: pos, low: n})
		}
		return pos, true
	}
	low := pos
	for n < in.max && int(pos) < len(m.in) {
		if c := uint16(m.in[pos]); c < 128 {
			if t.ascii[c>>6]>>(c&63)&1 == 0 {
				break
			}
			pos++
		} else {
			r, after := m.next(pos)
			if !t.takes(r) {
				break
			}
			pos = after
		}
		n++
	}
	m.ticks += int(pos-low) >> workShift
	if in.whole {
		return pos, m.can(in.ahead, pos)
	}
	for pos > low && !m.can(in.ahead, pos) {
		_, pos = m.prev(pos)
	}
	if pos > low {
		m.push(choice{kind: choiceGreedy, pc: pc + 1, pos: pos, low: low})
	}
	return pos, true
}

// look runs a look-around. A positive one keeps its captures and gives up its choices; a negative one keeps nothing.
func (m *machine[T]) look(in *inst, pc, pos int32) bool {
	base := len(m.stack)
	m.looks++
	found := m.run(pc+1, pos, base)
	m.looks--
	if m.err != nil {
		return false
	}
	if in.neg {
		m.unwind(base)
		return !found
	}
	if !found {
		return false
	}
	kept := m.stack[:base]
	for _, f := range m.stack[base:] {
		if f.kind == choiceUndo {
			kept = append(kept, f)
		}
	}
	m.stack = kept
	return true
}

func (m *machine[T]) unwind(base int) {
	for len(m.stack) > base {
		if f := m.stack[len(m.stack)-1]; f.kind == choiceUndo {
			m.regs[f.pc] = f.pos
		}
		m.stack = m.stack[:len(m.stack)-1]
	}
}

func (m *machine[T]) backref(in *inst, pos int32) (int32, bool) {
	from, to := int32(-1), int32(-1)
	for _, g := range in.refs {
		if a, b := m.regs[2*g], m.regs[2*g+1]; a >= 0 && b >= 0 {
			from, to = a, b
			break
		}
	}
	if from < 0 {
		return pos, true
	}
	if in.test == nil {
		n := to - from
		at := pos
		if in.back {
			at = pos - n
		}
		if at < 0 || int(at+n) > len(m.in) {
			return pos, false
		}
		for i := int32(0); i < n; i++ {
			if m.in[from+i] != m.in[at+i] {
				return pos, false
			}
		}
		if !in.back {
			at += n
		}
		// A lone surrogate that was captured does not match one half of a pair.
		return at, !m.p.full || at == 0 || int(at) == len(m.in) || !isHigh(m.in[at-1]) || !isLow(m.in[at])
	}
	fold := in.test.fold
	if in.back {
		from, to = to, from
	}
	for from != to {
		a, next, _ := m.step(from, in.back)
		b, after, ok := m.step(pos, in.back)
		if !ok || fold(a) != fold(b) {
			return pos, false
		}
		from, pos = next, after
	}
	return pos, true
}
