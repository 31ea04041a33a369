package jsregexp

// heads say what a match can go on with at a step of a program: the next character if it is ASCII, any other one, or
// the end of the text; and how many units must be left. They may say too much, never too little; so whoever looks ahead
// leaves out only what fails.
type heads struct {
	ascii     [2]uint64
	wide, end bool
	least     int32
}

var (
	anything = heads{ascii: [2]uint64{^uint64(0), ^uint64(0)}, wide: true, end: true}
	nothing  = heads{least: endless}
)

func (h *heads) add(o heads) {
	h.ascii[0] |= o.ascii[0]
	h.ascii[1] |= o.ascii[1]
	h.wide, h.end = h.wide || o.wide, h.end || o.end
	h.least = min(h.least, o.least)
}

func (h heads) and(o heads) heads {
	h.ascii[0] &= o.ascii[0]
	h.ascii[1] &= o.ascii[1]
	h.wide, h.end = h.wide && o.wide, h.end && o.end
	h.least = max(h.least, o.least)
	return h
}

// behind is h with n units at least, and then what o needs.
func (h heads) behind(n int32, o heads) heads {
	h.least = addLength(n, o.least)
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
	for i := range all {
		all[i] = nothing
	}
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
	p.second = p.seconds(all)
}

// seconds finds what the second character of a match can be behind a first one in ASCII, as heads are found; nil for
// anything.
func (p *Program) seconds(all []heads) *heads {
	if p.start == nil {
		return nil
	}
	next := make([]heads, len(p.code))
	for round := 0; ; round++ {
		if round == rounds {
			return nil
		}
		changed := false
		for pc := len(p.code) - 1; pc >= 0; pc-- {
			h := p.behind(all, next, pc)
			if h.least = 0; h != next[pc] {
				next[pc], changed = h, true
			}
		}
		if !changed {
			break
		}
	}
	h := next[0]
	if h.ascii[0]&h.ascii[1] == ^uint64(0) {
		return nil
	}
	return &h
}

// behind is what the second character of the rest of a match is, from the step at pc on.
func (p *Program) behind(all, next []heads, pc int) heads {
	in := &p.code[pc]
	if in.back {
		return anything
	}
	switch in.op {
	case opChar, opSet:
		return all[pc+1]
	case opText:
		return headOf(rune(in.text[1]))
	case opRun:
		h := heads{}
		if in.max > 1 {
			h = headsOf(in.test)
		}
		if in.min < 2 {
			h.add(all[pc+1])
		}
		if in.min < 1 {
			h.add(next[pc+1])
		}
		return h
	case opSplit:
		h := next[in.x]
		h.add(next[in.y])
		return h
	case opLoop:
		h := next[pc+1]
		h.add(next[in.y])
		return h
	case opJump, opLook:
		return next[in.x]
	case opAgain:
		return next[in.y]
	case opSave, opMark, opReset, opSetReg, opStart, opBoundary:
		return next[pc+1]
	}
	return anything // opMatch, opLookEnd, opBackref, opEnd
}

// heads is what the step at pc has, as far as those of the others are known.
func (p *Program) heads(all []heads, pc int) heads {
	in := &p.code[pc]
	if in.back {
		return anything
	}
	switch in.op {
	case opChar:
		return headOf(in.r).behind(1, all[pc+1])
	case opText:
		return headOf(rune(in.text[0])).behind(int32(len(in.text)), all[pc+1])
	case opSet:
		return headsOf(in.test).behind(1, all[pc+1])
	case opRun:
		h := headsOf(in.test).behind(in.min, all[pc+1])
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
	case opSetReg: // of a repetition, whose end the next step knows
		h := all[pc+1]
		if in.min >= 0 { // leftwards the end stands further left, with more behind it
			h.least = max(h.least, addLength(in.min, all[p.code[pc+1].y].least))
		}
		return h
	case opBackref:
		return anything.behind(0, all[pc+1])
	case opSave, opMark, opReset, opStart, opBoundary:
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
	return anything // opMatch, opLookEnd
}

// anchored tells whether a piece matches at the beginning of the text only, or of lines.
func anchored(n *node, lines bool) bool {
	switch n.kind {
	case nStart:
		return lines || !n.multiline
	case nGroup:
		return anchored(n.kids[0], lines)
	case nSeq:
		for _, k := range n.kids {
			if k.kind != nLook && k.kind != nBoundary {
				return anchored(k, lines)
			}
		}
	case nAlt:
		for _, k := range n.kids {
			if !anchored(k, lines) {
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
