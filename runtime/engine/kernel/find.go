package kernel

import (
	"errors"
	"math"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja/ast"
)

// Decl is a function that is declared directly in the body of another one, whose text goes From one offset To another:
// there the name means it.
type Decl struct {
	Function *ast.FunctionLiteral
	From, To int
}

// Kernel is a function that may run without goja.
type Kernel struct {
	Source string // as the parser gave it
	fn     *ast.FunctionLiteral
	scope  *scope
	arrays []bool // of each parameter: a typed array, else a number

	codes   sync.Map     // elements of the arrays, as a string → *code, or nil where they do not fit
	refused atomic.Int32 // calls since the last one that fitted
}

// maxRefused is after how many calls that did not fit a kernel is given up: it is called with something else.
const maxRefused = 200

// maxKernels bounds how many functions of a script become kernels, so that a start is not held up.
const maxKernels = 500

// scope knows the declarations of a script.
type scope struct {
	mu    sync.Mutex // guards uses and codes once there are kernels
	decls map[string]Decl
	names map[string]bool // those that candidates call; true if they mean nothing else
	ready bool            // names are known
	uses  map[*ast.FunctionLiteral]*use
	codes map[version]*made
}

// use is what parameters has found; nil while it looks.
type use struct {
	arrays []bool
	ok     bool
}

// version is a function for arrays of certain elements.
type version struct {
	fn       *ast.FunctionLiteral
	elements string
}

// made is what lower has made of it; nil while it does.
type made struct {
	code *code
	err  error
}

var errRecursion = errors.New("kernel: recursion")

// lowered is the code of a function for arrays of these elements. Its callers are those that are being made.
func (s *scope) lowered(fn *ast.FunctionLiteral, arrays []bool, elements []Element, callers []*ast.FunctionLiteral) (
	*code, error) {
	key := version{fn, string(asBytes(elements))}
	if m, ok := s.codes[key]; ok {
		if m == nil {
			return nil, errRecursion
		}
		return m.code, m.err
	}
	s.codes[key] = nil
	c, err := lower(s, fn, arrays, elements, callers)
	s.codes[key] = &made{c, err}
	return c, err
}

// Find looks through the declarations of a script for kernels.
func Find(src string, decls []Decl) []*Kernel {
	s := &scope{decls: map[string]Decl{}, names: map[string]bool{},
		uses: map[*ast.FunctionLiteral]*use{}, codes: map[version]*made{}}
	var candidates []Decl
	for _, d := range decls {
		f := d.Function
		if f.Name == nil || f.Async || f.Generator {
			continue
		}
		name := f.Name.Name.String()
		s.decls[name] = d // of two with a name mentioned refuses both
		if len(f.ParameterList.List) > 0 && promising(f.Source) {
			candidates = append(candidates, d)
		}
	}
	var list []*Kernel
	for _, d := range candidates {
		arrays, ok := s.parameters(d.Function)
		if ok && hasArray(arrays) && len(list) < maxKernels {
			list = append(list, &Kernel{Source: d.Function.Source, fn: d.Function, scope: s, arrays: arrays})
		}
	}
	if len(list) == 0 {
		return nil
	}
	s.settle(src)
	fits := list[:0]
	for _, k := range list {
		elements := make([]Element, 0, len(k.arrays))
		for _, array := range k.arrays {
			if array {
				elements = append(elements, Int32)
			}
		}
		if k.code(elements) != nil {
			fits = append(fits, k)
		}
	}
	return fits
}

// settle finds out what the names mean that candidates call, and forgets the functions that none of them calls, which
// would keep the tree of the whole script.
func (s *scope) settle(src string) {
	called := map[string]Decl{}
	for name := range s.names {
		called[name] = s.decls[name]
	}
	mentioned(src, s.names)
	for name := range escaped(src) {
		delete(s.names, name)
	}
	s.decls, s.ready = called, true
	clear(s.uses)
}

func hasArray(list []bool) bool {
	for _, is := range list {
		if is {
			return true
		}
	}
	return false
}

// promising says whether the text of a function is worth a look: it has a loop or many elements, and no texts. It must
// not be long, since making code takes time with its square.
func promising(text string) bool {
	brackets, loop := 0, false
	for i := range len(text) {
		switch text[i] {
		case '[':
			brackets++
		case '`', '"', '\'':
			return false // strings and templates are no numbers
		case 'f':
			loop = loop || len(text) > i+4 && text[i:i+3] == "for" && !part(text[i+3])
		case 'w':
			loop = loop || len(text) > i+6 && text[i:i+5] == "while" && !part(text[i+5])
		}
	}
	return len(text) < 32<<10 && (loop || brackets >= 8)
}

// find is the declaration that a name means where a function stands. While candidates are looked for it is the one that
// the name may mean.
func (s *scope) find(name string, from *ast.FunctionLiteral) (Decl, bool) {
	d, ok := s.decls[name]
	if !ok || int(from.Function) < d.From || int(from.Function) > d.To {
		return Decl{}, false
	}
	if !s.ready {
		s.names[name] = false
		return d, true
	}
	return d, s.names[name]
}

// code is the kernel's code for arrays of these elements, nil if there is none. Two goroutines may make the same.
func (k *Kernel) code(elements []Element) *code {
	key := string(asBytes(elements))
	if c, ok := k.codes.Load(key); ok {
		return c.(*code)
	}
	k.scope.mu.Lock()
	c, err := k.scope.lowered(k.fn, k.arrays, elements, nil)
	k.scope.mu.Unlock()
	if err != nil {
		c = nil
	}
	k.codes.Store(key, c)
	return c
}

func asBytes(list []Element) []byte {
	b := make([]byte, len(list))
	for i, e := range list {
		b[i] = byte(e)
	}
	return b
}

// Argument is one of a call: an array's elements and bytes, or a number if the element is zero.
type Argument struct {
	Element Element
	Bytes   []byte
	Number  float64
}

// Call runs the kernel. argument gives the n-th argument, and false if it is neither a number nor a typed array of
// known elements; poll tells whether the call is to end before it is done. ran is false where goja must run the
// function. If gives, the call has a result, otherwise it is undefined.
func (k *Kernel) Call(argument func(n int) (Argument, bool), poll func() bool) (result float64, gives, ran bool) {
	if k.refused.Load() > maxRefused {
		return 0, false, false
	}
	m := &machine{budget: pollEvery, poll: poll}
	var arrays [maxArrays][]byte
	var elements [maxArrays]Element
	regs, a, n := m.frame(0), 0, 0
	for i, array := range k.arrays {
		arg, ok := argument(i)
		if !ok || (arg.Element != 0) != array {
			k.refused.Add(1)
			return 0, false, false
		}
		if array {
			arrays[a], elements[a] = arg.Bytes, arg.Element
			a++
		} else {
			regs[n] = math.Float64bits(arg.Number)
			n++
		}
	}
	c := k.code(elements[:a])
	if c == nil {
		k.refused.Add(1)
		return 0, false, false
	}
	k.refused.Store(0)
	bits := m.run(c, &arrays, 0)
	return num(bits), c.gives && !m.stopped, true
}

// String names the kernel in tests.
func (k *Kernel) String() string { return k.fn.Name.Name.String() + "/" + strconv.Itoa(len(k.arrays)) }
