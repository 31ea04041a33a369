package jsregexp

// heads say what a match can go on with at a step of a program: the next character if it is ASCII, any other one, or
// the end of the text. They may say too much, never too little; so whoever looks ahead leaves out only what fails.
type heads struct {
	ascii     [2]uint64
	wide, end bool
}

var anything = heads{ascii: [2]uint64{^uint64(0), ^uint64(0)}, wide: true, end: true}

func (h *heads) add(o heads) {
	h.ascii[0] |= o.ascii[0]
	h.ascii[1] |= o.ascii[1]
	h.wide, h.end = h.wide || o.wide, h.end || o.end
}

func (h heads) and(o heads) heads {
	h.ascii[0] &= o.ascii[0]
	h.ascii[1] &= o.ascii[1]
	h.wide, h.end = h.wide && o.wide, h.end && o.end
	return h
}

func headOf(r rune) heads {
	h := heads{wide: r >= 128}
	if r < 128 {
		h.ascii[r>>6] = 1 << (r & 63)
	}
	return h
}

func headsOf(t *tester) heads {
	return heads{ascii: t.ascii, wide: t.invert || t.fold != nil || len(t.set) > 0 && t.set[len(t.set)-1].hi >= 128}
}

// rounds bounds how often the heads of a program are looked for. Each turn finds those behind one more loop within a
// loop.
const rounds = 32

// lookAhead finds the heads of the steps of a program, and gives those that branch what they need.
func (p *Program) lookAhead() {
	all := make([]heads, len(p.code))
	for round := 0; ; round++ {
		if round == rounds {
			return
		}
		changed := false
		for pc := len(p.code) - 1; pc >= 0; pc-- {
			if h := p.heads(all, pc); h != all[pc] {
				all[pc], changed = h, true
			}
		}
		if !changed {
			break
		}
	}
	use := func(pc int32) *heads {
		if all[pc] == anything {
			return nil
		}
		return &all[pc]
	}
	for pc := range p.code {
		in := &p.code[pc]
		switch in.op {
		case opSplit:
			in.ahead, in.other = use(in.x), use(in.y)
		case opLoop:
			in.ahead, in.other = use(int32(pc)+1), use(in.y)
		case opRun:
			in.ahead = use(int32(pc) + 1)
			meet := headsOf(in.test).and(all[pc+1])
			in.whole = meet.ascii == [2]uint64{} && !meet.wide
		}
	}
	p.start = use(0)
}

// heads is what the step at pc has, as far as those of the others are known.
func (p *Program) heads(all []heads, pc int) heads {
	in := &p.code[pc]
	if in.back {
		return anything
	}
	switch in.op {
	case opChar:
		return headOf(in.r)
	case opText:
		return headOf(rune(in.text[0]))
	case opSet:
		return headsOf(in.test)
	case opRun:
		h := headsOf(in.test)
		if in.min == 0 {
			h.add(all[pc+1])
		}
		return h
	case opSplit:
		h := all[in.x]
		h.add(all[in.y])
		return h
	case opLoop:
		h := all[pc+1]
		h.add(all[in.y])
		return h
	case opJump:
		return all[in.x]
	case opAgain:
		return all[in.y]
	case opSave, opMark, opReset, opSetReg, opStart, opBoundary:
		return all[pc+1]
	case opLook:
		if in.neg {
			return all[in.x]
		}
		return all[in.x].and(all[pc+1])
	case opEnd:
		h := heads{end: true, wide: in.multi}
		if in.multi {
			h.add(headOf('\n'))
			h.add(headOf('\r'))
		}
		return h.and(all[pc+1])
	}
	return anything // opMatch, opLookEnd, opBackref
}

// anchored tells whether a piece matches at the beginning of the text only.
func anchored(n *node) bool {
	switch n.kind {
	case nStart:
		return !n.multiline
	case nGroup:
		return anchored(n.kids[0])
	case nSeq:
		for _, k := range n.kids {
			if k.kind != nLook && k.kind != nBoundary {
				return anchored(k)
			}
		}
	case nAlt:
		for _, k := range n.kids {
			if !anchored(k) {
				return false
			}
		}
		return true
	}
	return false
}

// prefix is the ASCII text that each match begins with.
func (p *Program) prefix() []byte {
	var text []byte
	for _, in := range p.code {
		switch {
		case in.op == opSave:
		case in.op == opChar && in.r < 128:
			text = append(text, byte(in.r))
		case in.op == opText:
			for _, c := range in.text {
				if c >= 128 {
					return text
				}
				text = append(text, byte(c))
			}
		default:
			return text
		}
	}
	return text
}
