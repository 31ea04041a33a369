package gojainternals

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/dop251/goja"
)

// Preparation is what is done to a freshly compiled program, which nobody has run yet; the zero value only fills what
// goja's compiler has left open. What one program is given serves whichever runtime runs it.
type Preparation struct {
	Depths  *Depths // functions look at the depths when they begin; nil for no bounds
	Watched Watched // called before operators that may make something long, nil for none
	Quick   bool    // ours take the place of instructions that have a frequent case which is cheaper than the whole
	// Awaits lets objects that are no promises be awaited by their then. goja takes every object whose constructor is
	// Promise for a promise, and panics if it is a proxy of one, or only inherits from Promise.prototype.
	Awaits bool
}

// Prepare prepares a program and all functions within it. Those of a long one are prepared on several goroutines; what
// comes out is the same.
func (l *Layout) Prepare(p *goja.Program, o Preparation) {
	w := &preparation{Preparation: o, layout: l}
	src, _ := l.Place(p, 0)
	w.ordering = o.Watched != nil && (src == nil || hasBigInts(src.Source()))
	if src != nil && len(src.Source()) >= longSource {
		w.apart(l.inner(p))
	}
	w.program(p)
}

// longSource is the length of a source from which on its functions are prepared on several goroutines.
const longSource = 1 << 16

// preparation is one call of Prepare. Programs know nothing of each other while they are prepared, but that what makes
// a function must know what is in it, so that it comes later.
type preparation struct {
	Preparation
	layout   *Layout
	ordering bool // BigInts may be compared
	done     map[*goja.Program]bool
}

// inner are the functions within the functions of a program. What a bundler makes is one function that has all modules
// in it.
func (l *Layout) inner(p *goja.Program) (list []*goja.Program) {
	for _, outer := range l.functionsOf(p) {
		list = append(list, l.functionsOf(outer)...)
	}
	return list
}

// functionsOf are the programs of the functions that a program makes.
func (l *Layout) functionsOf(p *goja.Program) (list []*goja.Program) {
	for _, in := range l.code(p) {
		list = append(list, l.programsOf(unwrapped(in))...)
	}
	return list
}

// apart prepares programs, as many at a time as there are processors. None is part of another.
func (w *preparation) apart(list []*goja.Program) {
	home := make([]bool, len(list))
	var next atomic.Int64
	var failed atomic.Pointer[any]
	work := func() {
		defer func() {
			if x := recover(); x != nil {
				failed.CompareAndSwap(nil, &x)
			}
		}()
		for i := int(next.Add(1)) - 1; i < len(list) && failed.Load() == nil; i = int(next.Add(1)) - 1 {
			home[i] = w.body(list[i])
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxPreparing, len(list)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	if x := failed.Load(); x != nil {
		panic(*x)
	}
	w.done = make(map[*goja.Program]bool, len(list))
	for i, p := range list {
		w.done[p] = home[i]
	}
}

// maxPreparing is how many goroutines prepare a program at most: more have little left to do.
const maxPreparing = 4

// body prepares the program of a function. It tells whether that, or a function within it, asks for its home or for
// the class around it.
func (w *preparation) body(p *goja.Program) (home bool) {
	if home, done := w.done[p]; done {
		return home
	}
	if code := w.layout.code(p); w.Depths != nil && len(code) > 0 {
		w.layout.watchResumed(p)
		code[0] = &bounded{goja: code[0], layout: w.layout, depths: w.Depths}
	}
	return w.program(p)
}

func (w *preparation) program(p *goja.Program) (home bool) {
	l := w.layout
	code := l.code(p)
	var homes []int // where functions are made that ask for their home, in order
	for i := range code {
		if code[i] == nil {
			code[i] = unreached{}
			continue
		}
		in := unwrapped(code[i])
		t := traitsOf(in)
		home = home || t.super
		asks := false
		for _, at := range t.programs {
			if p := *(**goja.Program)(unsafe.Add(dataOf(in), at)); p != nil {
				asks = w.body(p) || asks
			}
		}
		if asks {
			home, homes = true, append(homes, i)
		}
	}
	var awaits, literals []int
	var in, next instruction
	if len(code) > 0 {
		next = unwrapped(code[0])
	}
	for i := range code {
		in, next = next, nil
		if i+1 < len(code) {
			next = unwrapped(code[i+1])
		}
		asks := len(homes) > 0 && homes[0] == i
		if asks {
			homes = homes[1:]
		}
		t := traitsOf(in)
		if w.Watched != nil && t.operator != "" {
			l.watchOperator(&code[i], in, t.operator, w.Watched, w.ordering)
		}
		switch {
		case t.await && l.awaits(in):
			awaits = append(awaits, i)
		case t.name == "_newObject":
			literals = append(literals, i)
		}
		if w.Quick {
			l.quickenAt(code, i, in, next, !asks)
		}
	}
	if w.Quick {
		for _, i := range literals {
			l.literalAt(code, i)
		}
		l.join(code)
	}
	if w.Awaits {
		for _, i := range awaits {
			code[i] = &awaitingObject{goja: code[i], layout: l}
		}
	}
	return home
}

// Quicken puts ours in the place of instructions of a program that have a frequent case which is cheaper than the
// whole, and does nothing else.
func (l *Layout) Quicken(p *goja.Program) { l.Prepare(p, Preparation{Quick: true}) }
