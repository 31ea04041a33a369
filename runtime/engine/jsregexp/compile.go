package jsregexp

import (
	"errors"
)

type opcode uint8

const (
	opMatch opcode = iota
	opChar
	opText // several characters, none of them a surrogate
	opSet
	opRun // repeat of one character test
	opSplit
	opJump
	opSave
	opReset
	opSetReg
	opLoop
	opMark
	opAgain
	opLook
	opLookEnd
	opBackref
	opStart
	opEnd
	opBoundary
)

// inst is one instruction. x, y are jump targets, slots or registers, by opcode.
type inst struct {
	op       opcode
	back     bool // match leftwards (look-behind)
	neg      bool
	lazy     bool
	multi    bool // start, end: at lines
	x, y     int32
	min, max int32
	r        rune
	test     *tester
	refs     []int
	text     []uint16
	// What can follow, nil for anything: of a split its branches, of a loop body and exit, of a run what is behind it.
	ahead, other *heads
	whole        bool // run: what is behind it begins with none of its characters, so it never gives back
}

// tester decides on one character. ascii and latin hold the final answers for those below 128 and below 256.
type tester struct {
	ascii, latin [2]uint64
	set          set // folded if fold
	invert       bool
	fold         func(rune) rune // nil without case folding, and where the set has all that folds to one of it
}

func (t *tester) takes(r rune) bool {
	if r < 128 {
		return t.ascii[r>>6]&(1<<(r&63)) != 0
	}
	if r < 256 {
		return t.latin[r>>6-2]&(1<<(r&63)) != 0
	}
	return t.slow(r)
}

func (t *tester) slow(r rune) bool {
	if t.fold != nil {
		r = t.fold(r)
	}
	return t.set.contains(r) != t.invert
}

func newTester(s set, invert bool, fold func(rune) rune, full bool) *tester {
	t := &tester{set: s, invert: invert, fold: fold}
	if fold != nil {
		t.set = s.folded(full)
		if all, ok := t.set.unfolded(full); ok {
			t.set, t.fold = all, nil
		}
	}
	for r := rune(0); r < 128; r++ {
		if t.slow(r) {
			t.ascii[r>>6] |= 1 << (r & 63)
		}
		if t.slow(r + 128) {
			t.latin[r>>6] |= 1 << (r & 63)
		}
	}
	return t
}

// Program is a compiled pattern. It is immutable.
type Program struct {
	Flags  Flags
	Names  []string // by group number; "" is unnamed
	named  bool
	groups int
	code   []inst
	regs   int // capture slots and loop registers
	full   bool
	first  *tester // what a match must begin with; nil if unknown or empty matches are possible
	start  *heads  // what a match can begin with; nil for anything
	second *heads  // what is behind a first character in ASCII; nil for anything
	text   []byte  // what each match begins with
	fixed  bool    // matches are at the beginning of the text only
	lines  bool    // matches are at the beginning of lines only
	beyond bool    // no text in ASCII matches
	need   *need   // what each match has in it; nil if that does not help
}

// Groups is the number of groups, with the whole match as group 0.
func (p *Program) Groups() int { return p.groups }

// Named tells whether any group has a name.
func (p *Program) Named() bool { return p.named }

const maxCode = 1 << 20

var errTooLarge = errors.New("Regular expression too large")

// Compile reads a pattern in UTF-16 units. The error is V8's reason alone, without pattern and flags.
func Compile(units []uint16, f Flags) (*Program, error) {
	root, groups, err := parse(units, f)
	if err != nil {
		return nil, err
	}
	c := &compiler{p: &Program{Flags: f, groups: len(groups), full: f.Unicode || f.UnicodeSets}}
	for _, g := range groups {
		c.p.Names = append(c.p.Names, g.name)
		c.p.named = c.p.named || g.name != ""
	}
	c.p.regs = 2 * len(groups)
	c.emit(inst{op: opSave, x: 0})
	c.node(root, false)
	c.emit(inst{op: opSave, x: 1})
	c.emit(inst{op: opMatch})
	if len(c.p.code) > maxCode {
		return nil, errTooLarge
	}
	if t, empty := c.first(root); !empty {
		c.p.first = t
	}
	c.p.fixed, c.p.lines, c.p.text = anchored(root, false), anchored(root, true), c.p.prefix()
	c.p.lookAhead()
	c.p.need, c.p.beyond = c.needed(root), c.beyond(root)
	return c.p, nil
}

type compiler struct{ p *Program }

func (c *compiler) emit(i inst) int32 {
	if len(c.p.code) <= maxCode {
		c.p.code = append(c.p.code, i)
	}
	return int32(len(c.p.code) - 1)
}

func (c *compiler) here() int32 { return int32(len(c.p.code)) }

func (c *compiler) reg() int32 {
	c.p.regs++
	return int32(c.p.regs - 1)
}

func (c *compiler) fold(n *node) func(rune) rune {
	switch {
	case !n.fold:
		return nil
	case c.p.full:
		return foldUnicode
	}
	return foldLegacy
}

func (c *compiler) tester(n *node) *tester {
	if n.test == nil {
		s := n.set
		if n.kind == nChar {
			s = single(n.r)
		}
		n.test = newTester(s, n.kind == nSet && n.invert, c.fold(n), c.p.full)
	}
	return n.test
}

func (c *compiler) node(n *node, back bool) {
	if len(c.p.code) > maxCode {
		return
	}
	switch n.kind {
	case nChar:
		if !n.fold {
			c.emit(inst{op: opChar, r: n.r, back: back})
			return
		}
		c.emit(inst{op: opSet, test: c.tester(n), back: back})
	case nSet:
		c.emit(inst{op: opSet, test: c.tester(n), back: back})
	case nSeq:
		for i := 0; i < len(n.kids); i++ {
			at := i
			if back {
				at = len(n.kids) - 1 - i
			} else if text := literal(n.kids[i:]); len(text) > 1 {
				c.emit(inst{op: opText, text: text})
				i += len(text) - 1
				continue
			}
			c.node(n.kids[at], back)
		}
	case nAlt:
		var ends []int32
		for i, k := range n.kids {
			if i == len(n.kids)-1 {
				c.node(k, back)
				break
			}
			s := c.emit(inst{op: opSplit})
			c.p.code[s].x = c.here()
			c.node(k, back)
			ends = append(ends, c.emit(inst{op: opJump}))
			if len(c.p.code) > maxCode {
				return
			}
			c.p.code[s].y = c.here()
		}
		for _, e := range ends {
			c.p.code[e].x = c.here()
		}
	case nGroup:
		first, second := int32(2*n.index), int32(2*n.index+1)
		if back {
			first, second = second, first
		}
		if n.index > 0 {
			c.emit(inst{op: opSave, x: first})
		}
		c.node(n.kids[0], back)
		if n.index > 0 {
			c.emit(inst{op: opSave, x: second})
		}
	case nRepeat:
		c.repeat(n, back)
	case nLook:
		l := c.emit(inst{op: opLook, neg: n.neg})
		c.node(n.kids[0], n.behind)
		c.emit(inst{op: opLookEnd})
		if len(c.p.code) <= maxCode {
			c.p.code[l].x = c.here()
		}
	case nBackref:
		i := inst{op: opBackref, refs: n.refs, back: back}
		if f := c.fold(n); f != nil {
			i.test = &tester{fold: f}
		}
		c.emit(i)
	case nStart:
		c.emit(inst{op: opStart, multi: n.multiline})
	case nEnd:
		c.emit(inst{op: opEnd, multi: n.multiline})
	case nBoundary:
		w := words
		if n.fold && c.p.full {
			w = wordsFolded
		}
		c.emit(inst{op: opBoundary, neg: n.neg, test: newTester(w, false, nil, false)})
	}
}

// literal is the text of the single characters that pieces begin with.
func literal(pieces []*node) (text []uint16) {
	for _, n := range pieces {
		if n.kind != nChar || n.fold || n.r >= 0xD800 {
			break
		}
		text = append(text, uint16(n.r))
	}
	return text
}

func (c *compiler) repeat(n *node, back bool) {
	body := n.kids[0]
	if n.max == 0 {
		return
	}
	limit := int32(n.max)
	if n.max < 0 {
		limit = 1<<31 - 1
	}
	if (body.kind == nChar || body.kind == nSet) && !back {
		c.emit(inst{op: opRun, test: c.tester(body), min: int32(n.min), max: limit, lazy: n.lazy})
		return
	}
	// General form:
	//      counter = 0
	// top: loop counter, min, max → exit
	//      mark position, forget the groups inside
	//      body
	//      again: fail on an empty turn beyond min; counter++ → top
	counter, mark := c.reg(), c.reg()
	begin := c.emit(inst{op: opSetReg, x: counter})
	top := c.emit(inst{op: opLoop, x: counter, min: int32(n.min), max: limit, lazy: n.lazy})
	c.emit(inst{op: opMark, x: mark})
	if n.capTo > n.capFrom {
		c.emit(inst{op: opReset, x: int32(2 * n.capFrom), y: int32(2 * n.capTo)})
	}
	c.node(body, back)
	c.emit(inst{op: opAgain, x: counter, y: top, min: int32(n.min), max: mark})
	if len(c.p.code) <= maxCode {
		c.p.code[top].y = c.here()
		if c.p.code[begin].min = -1; !back {
			least, _ := c.length(body)
			c.p.code[begin].min = mulLength(int32(n.min), least)
		}
	}
}

// first finds what a match must begin with. empty is true if a match may be empty, or if that can't be told.
func (c *compiler) first(n *node) (t *tester, empty bool) {
	switch n.kind {
	case nChar, nSet:
		return c.tester(n), false
	case nSeq:
		for _, k := range n.kids {
			switch k.kind {
			case nBoundary, nStart, nEnd, nLook:
				continue // it takes no character and only narrows what matches
			}
			return c.first(k)
		}
		return nil, true
	case nGroup:
		return c.first(n.kids[0])
	case nRepeat:
		if n.min > 0 {
			return c.first(n.kids[0])
		}
	case nAlt:
		var all tester
		var parts []*tester
		for _, k := range n.kids {
			t, empty := c.first(k)
			if empty {
				return nil, true
			}
			parts = append(parts, t)
			all.ascii[0] |= t.ascii[0]
			all.ascii[1] |= t.ascii[1]
			all.latin[0] |= t.latin[0]
			all.latin[1] |= t.latin[1]
		}
		all.fold = func(r rune) rune {
			for _, t := range parts {
				if t.takes(r) {
					return 0
				}
			}
			return 1
		}
		all.set = single(0)
		return &all, false
	}
	return nil, true
}

// Check tells whether a pattern is valid, without compiling it. The error is V8's reason.
func Check(units []uint16, f Flags) error {
	_, _, err := parse(units, f)
	return err
}
