package jsregexp

import (
	"errors"
	"strings"
	"unicode/utf16"
)

type nodeKind uint8

const (
	nEmpty nodeKind = iota
	nChar
	nSet
	nSeq
	nAlt
	nGroup // capturing if index > 0
	nRepeat
	nLook
	nBackref
	nStart
	nEnd
	nBoundary
)

// node is a piece of a pattern. Flags that modifiers can change are those in force where the piece stands.
type node struct {
	kind   nodeKind
	r      rune
	set    set
	invert bool // set: match what is not in it
	kids   []*node

	index    int   // group number
	refs     []int // backref: candidate groups
	min, max int   // repeat; max -1 is no limit
	lazy     bool
	neg      bool // look, boundary
	behind   bool // look

	fold, multiline, dotAll bool

	capFrom, capTo int // groups opened inside a repeat: [capFrom, capTo)

	// What the compiler has found of it.
	test     *tester
	measured bool
	lo, hi   int32 // its length, see compiler.length
}

// Flags are a pattern's flags.
type Flags struct {
	HasIndices, Global, IgnoreCase, Multiline, DotAll, Unicode, UnicodeSets, Sticky bool
}

// ParseFlags reads a flags string. ok is false if a letter is unknown or occurs twice, or if u and v occur together.
func ParseFlags(s string) (f Flags, ok bool) {
	for _, c := range s {
		var p *bool
		switch c {
		case 'd':
			p = &f.HasIndices
		case 'g':
			p = &f.Global
		case 'i':
			p = &f.IgnoreCase
		case 'm':
			p = &f.Multiline
		case 's':
			p = &f.DotAll
		case 'u':
			p = &f.Unicode
		case 'v':
			p = &f.UnicodeSets
		case 'y':
			p = &f.Sticky
		default:
			return f, false
		}
		if *p {
			return f, false
		}
		*p = true
	}
	return f, !(f.Unicode && f.UnicodeSets)
}

// String lists the flags in the order the flags getter has them.
func (f Flags) String() string {
	var b strings.Builder
	for _, x := range []struct {
		on bool
		c  byte
	}{{f.HasIndices, 'd'}, {f.Global, 'g'}, {f.IgnoreCase, 'i'}, {f.Multiline, 'm'}, {f.DotAll, 's'}, {f.Unicode, 'u'},
		{f.UnicodeSets, 'v'}, {f.Sticky, 'y'}} {
		if x.on {
			b.WriteByte(x.c)
		}
	}
	return b.String()
}

// maxGroups bounds a pattern's capture groups and maxDepth its nesting, as V8 bounds them.
const (
	maxGroups = 1 << 16
	maxDepth  = 1000
)

type group struct {
	name string
	alts []altMark // which branch of which alternatives it stands in
}

type altMark struct{ alternation, branch int }

type parser struct {
	src      []rune
	pos      int
	u, v     bool
	named    bool // named groups exist, or u: \k is a reference
	total    int  // capture groups of the whole pattern
	groups   []group
	flags    Flags // in force here
	alts     []altMark
	altCount int
	depth    int
	pending  []pendingRef
}

type pendingRef struct {
	n    *node
	name string
}

type syntaxError string

func (p *parser) fail(text string) { panic(syntaxError(text)) }

// parse reads a pattern given in UTF-16 units.
func parse(units []uint16, f Flags) (root *node, groups []group, err error) {
	p := &parser{u: f.Unicode || f.UnicodeSets, v: f.UnicodeSets, flags: f}
	if p.u {
		p.src = utf16Decode(units)
	} else {
		p.src = make([]rune, len(units))
		for i, u := range units {
			p.src[i] = rune(u)
		}
	}
	defer func() {
		if x := recover(); x != nil {
			text, ok := x.(syntaxError)
			if !ok {
				panic(x)
			}
			err = errors.New(string(text))
		}
	}()
	p.survey()
	p.groups = []group{{}}
	root = p.alternatives()
	if p.pos < len(p.src) {
		p.fail("Unmatched ')'")
	}
	for _, ref := range p.pending {
		for i, g := range p.groups {
			if g.name == ref.name {
				ref.n.refs = append(ref.n.refs, i)
			}
		}
		if len(ref.n.refs) == 0 {
			p.fail("Invalid named capture referenced")
		}
	}
	return root, p.groups, nil
}

// utf16Decode combines surrogate pairs and keeps lone surrogates.
func utf16Decode(units []uint16) []rune {
	out := make([]rune, 0, len(units))
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if r >= 0xD800 && r < 0xDC00 && i+1 < len(units) && units[i+1] >= 0xDC00 && units[i+1] < 0xE000 {
			r = utf16.DecodeRune(r, rune(units[i+1]))
			i++
		}
		out = append(out, r)
	}
	return out
}

// survey counts the groups before parsing begins: their number and names decide what \1 and \k mean.
func (p *parser) survey() {
	inClass := 0
	for i := 0; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '[':
			if inClass == 0 || p.v {
				inClass++
			}
		case ']':
			if inClass > 0 {
				inClass--
			}
		case '(':
			if inClass > 0 {
				continue
			}
			if i+1 < len(p.src) && p.src[i+1] == '?' {
				if i+3 < len(p.src) && p.src[i+2] == '<' && p.src[i+3] != '=' && p.src[i+3] != '!' {
					p.named = true
					p.total++
				}
				continue
			}
			p.total++
		}
	}
	if p.total >= maxGroups {
		p.fail("Too many captures")
	}
	if p.u {
		p.named = true
	}
}

func (p *parser) more() bool { return p.pos < len(p.src) }

func (p *parser) peek() rune { return p.at(0) }

// at returns the rune n ahead, or -1.
func (p *parser) at(n int) rune {
	if p.pos+n < len(p.src) {
		return p.src[p.pos+n]
	}
	return -1
}

func (p *parser) eat(r rune) bool {
	if p.peek() == r {
		p.pos++
		return true
	}
	return false
}

func (p *parser) node(kind nodeKind) *node {
	return &node{kind: kind, fold: p.flags.IgnoreCase, multiline: p.flags.Multiline, dotAll: p.flags.DotAll}
}

func (p *parser) alternatives() *node {
	if p.depth++; p.depth > maxDepth {
		p.fail("Regular expression too large")
	}
	defer func() { p.depth-- }()
	p.altCount++
	id := p.altCount
	p.alts = append(p.alts, altMark{id, 0})
	defer func() { p.alts = p.alts[:len(p.alts)-1] }()
	first := p.sequence()
	if p.peek() != '|' {
		return first
	}
	alt := p.node(nAlt)
	alt.kids = []*node{first}
	for p.eat('|') {
		p.alts[len(p.alts)-1].branch++
		alt.kids = append(alt.kids, p.sequence())
	}
	return alt
}

func (p *parser) sequence() *node {
	seq := p.node(nSeq)
	for p.more() && p.peek() != '|' && p.peek() != ')' {
		seq.kids = append(seq.kids, p.term())
	}
	if len(seq.kids) == 1 {
		return seq.kids[0]
	}
	return seq
}

func (p *parser) term() *node {
	firstGroup := len(p.groups)
	var n *node
	repeatable := true
	switch c := p.peek(); c {
	case '^':
		p.pos++
		return p.node(nStart)
	case '$':
		p.pos++
		return p.node(nEnd)
	case '(':
		n, repeatable = p.group()
	case '.':
		p.pos++
		n = p.node(nSet)
		n.fold = false
		if n.dotAll {
			n.set = everything
		} else {
			n.set, n.invert = newlines, true
		}
	case '*', '+', '?':
		p.fail("Nothing to repeat")
	case '{':
		if _, _, ok := p.braces(); ok {
			p.fail("Nothing to repeat")
		} else if p.u {
			p.fail("Lone quantifier brackets")
		}
		p.pos++
		n = p.char('{')
	case '}':
		if p.u {
			p.fail("Lone quantifier brackets")
		}
		p.pos++
		n = p.char(c)
	case ']':
		if p.u {
			p.fail("Lone quantifier brackets")
		}
		p.pos++
		n = p.char(c)
	case '[':
		n = p.class()
	case '\\':
		n = p.escape()
		if n.kind == nBoundary {
			return n
		}
	default:
		p.pos++
		n = p.char(c)
	}
	return p.quantified(n, repeatable, firstGroup)
}

func (p *parser) char(r rune) *node {
	n := p.node(nChar)
	n.r = r
	return n
}

func (p *parser) quantified(n *node, repeatable bool, firstGroup int) *node {
	lo, hi := 0, -1
	switch p.peek() {
	case '*':
		p.pos++
	case '+':
		p.pos++
		lo = 1
	case '?':
		p.pos++
		hi = 1
	case '{':
		from, to, ok := p.braces()
		if !ok {
			if p.u {
				p.fail("Incomplete quantifier")
			}
			return n
		}
		lo, hi = from, to
	default:
		return n
	}
	if !repeatable {
		p.fail("Invalid quantifier")
	}
	if hi >= 0 && lo > hi {
		p.fail("numbers out of order in {} quantifier")
	}
	r := p.node(nRepeat)
	r.min, r.max, r.kids = lo, hi, []*node{n}
	r.lazy = p.eat('?')
	r.capFrom, r.capTo = firstGroup, len(p.groups)
	return r
}

// braces reads {n}, {n,} or {n,m}. ok is false, and the position does not move, if none of them is there.
func (p *parser) braces() (lo, hi int, ok bool) {
	i := p.pos + 1
	number := func() (int, bool) {
		start, n := i, 0
		for i < len(p.src) && p.src[i] >= '0' && p.src[i] <= '9' {
			if n < 1<<30 {
				n = n*10 + int(p.src[i]-'0')
			}
			i++
		}
		return min(n, 1<<30), i > start
	}
	if lo, ok = number(); !ok {
		return 0, 0, false
	}
	hi = lo
	if i < len(p.src) && p.src[i] == ',' {
		i++
		if n, given := number(); given {
			hi = n
		} else {
			hi = -1
		}
	}
	if i >= len(p.src) || p.src[i] != '}' {
		return 0, 0, false
	}
	p.pos = i + 1
	return lo, hi, true
}
