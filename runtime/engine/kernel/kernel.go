package kernel

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"

	"eddy/runtime/engine/native"
)

// Kernel is a run of statements that may run as machine code.
type Kernel struct {
	plan *plan
	id   int
	// outer is the kernel that this one is a part of. It begins only where that did not.
	outer *Kernel
	// again are the kernels of further rounds of the loops that this one may end in. armed is where it is one itself.
	again []*Kernel
	armed *atomic.Bool

	heat     atomic.Int64
	last     atomic.Pointer[version]
	other    atomic.Pointer[version] // the one before it
	mu       sync.Mutex              // guards the versions, lengths, sorts, kept, columns and doubles
	versions map[string]*version
	lengths  [][]int          // of the arrays by input
	sorts    []sort           // of the numbers by input
	kept     []*snapshot      // of plain arrays by input
	columns  map[int][]string // of tables by input
	doubles  bool             // plain arrays get numbers that are no int32
	refused  atomic.Int32
	useless  atomic.Int64 // how often in a row it ended at an exit after few rounds
	rests    atomic.Int64 // how often it is left to goja from now on
}

// version is a kernel for inputs of certain kinds.
type version struct {
	key     string
	code    *native.Code // nil where the kernel does not fit
	why     error
	outputs []output
	seen    []output // those that somebody may read behind the kernel
	result  *output
	throws  []Throw
	written map[int]bool // the copied arrays that change, by input
	narrow  bool         // it does not fit since plain arrays were taken for int32
	slots   int
	turns   int // how often its loops were lowered
	kinds   []kind
	looks   []int // the inputs that have to be looked at where the methods called are the same
}

// output is a variable that gets a new value.
type output struct {
	input *input
	at    int // among the results, behind that of the function
	number
	array int  // the input that it becomes, -1 for a number
	mixed bool // a tag follows, which says what it is
	null  bool
}

// Throw is a call that throws because an offset lies outside of its DataView, or what is set outside of its array.
type Throw struct {
	View   int // the input that is the view or the array
	Source int // the input that is set, -1 for a view
	Method string
	At     int // where the call stands in the script
	Little bool

	Exit int   // 1 and above for the exit in front of which the kernel ends
	live []int // the kernel's own declarations that have values there, by input
}

// Off keeps the process from looking for kernels, as the variable EDDY_KERNELS=off does. It is a variable for tests.
var Off = os.Getenv("EDDY_KERNELS") == "off"

// Seen gets the kernels of each script that is compiled, in tests.
var Seen = func([]*Kernel) {}

// Threshold is how hot a kernel gets before it is compiled: each time it begins it is one degree warmer, and more where
// the arrays and counts that it gets are large. It is a variable for tests.
var Threshold int64 = 64

// mark is the number that the marks in the tree begin with.
const mark = 0x6b65726e

// isMark tells whether a statement is a mark of ours.
func isMark(s *ast.ExpressionStatement) bool {
	a, ok := s.Expression.(*ast.ArrayLiteral)
	if !ok || len(a.Value) < 2 {
		return false
	}
	n, ok := a.Value[0].(*ast.NumberLiteral)
	return ok && n.Literal == "kernel"
}

func markOf(at file.Idx, number int64, more ...ast.Expression) ast.Statement {
	list := []ast.Expression{&ast.NumberLiteral{Idx: at, Literal: "kernel", Value: int64(mark)},
		&ast.NumberLiteral{Idx: at, Value: number}}
	return &ast.ExpressionStatement{Expression: &ast.ArrayLiteral{LeftBracket: at, RightBracket: at,
		Value: append(list, more...)}}
}

// begin is the mark in front of the kernel's statements: it reads what the kernel reads. end is the one behind them.
func (k *Kernel) begin(at file.Idx) ast.Statement {
	var list []ast.Expression
	for _, name := range k.plan.slots {
		if name == "this" {
			list = append(list, &ast.ThisExpression{Idx: at})
		} else {
			list = append(list, &ast.Identifier{Idx: at, Name: unistring.NewFromString(name)})
		}
	}
	return markOf(at, int64(2*k.id), list...)
}

func (k *Kernel) end(at file.Idx) ast.Statement { return markOf(at, int64(2*k.id+1)) }

// Mark is what a mark's first value is; its second is twice the kernel's number in the list, and one more behind the
// kernel.
const Mark = mark

// String names the kernel in tests: the variables that it reads.
func (k *Kernel) String() string { return "[" + strings.Join(k.plan.slots, " ") + "]" }

// Made tells in tests for how many sorts of inputs the kernel has code, and why it has none for others.
func (k *Kernel) Made() (codes int, refused []error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, v := range k.versions {
		if v.code != nil {
			codes++
		} else {
			refused = append(refused, v.why)
		}
	}
	return codes, refused
}

// Written tells in tests which variables the kernel gives values to when it has come to its end.
func (k *Kernel) Written() (names []string) {
	for _, in := range k.plan.inputs {
		if in.assigned && !in.unseen && in.exit == 0 {
			names = append(names, in.name)
		}
	}
	slices.Sort(names)
	return names
}

// Turns is how often loops were lowered for the kernel's code, in tests.
func (k *Kernel) Turns() (turns int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, v := range k.versions {
		turns += v.turns
	}
	return turns
}

// Frame is where a kernel runs: the variables of its mark, by their numbers there.
type Frame interface {
	// Slot is a variable's value, nil where it has none yet or cannot be told.
	Slot(n int) goja.Value
	// SetSlot gives it another value.
	SetSlot(n int, v goja.Value)
	// Leave enters the scopes around an exit, and SetScoped gives a variable of them its value.
	Leave(exit int)
	SetScoped(n int, v goja.Value)
	// Array is the memory of a typed array or DataView.
	Array(o *goja.Object) (e Element, b []byte, ok bool)
	// Same tells whether two lists of elements are the same values, as far as that is known at once.
	Same(a, b []goja.Value) bool
	// Text is the memory of a text: its bytes, or its units of two bytes.
	Text(v goja.Value) (e Element, b []byte, ok bool)
	// Texts tells whether charCodeAt is what the language has.
	Texts() bool
	// List is the elements of an array that is as the language made it, nil for those that are not there.
	List(o *goja.Object) (list []goja.Value, ok bool)
	// Names are the names of an object's properties where all of them are values, and Field is the value of an own one;
	// nil if it has none.
	Names(o *goja.Object) (names []string, ok bool)
	Field(o *goja.Object, name string) goja.Value
	// Iterates tells whether a loop goes over a list as the language has it.
	Iterates() bool
	// Property is the value of an object's property, own or inherited, that reading finds without running anything;
	// nil if there is none. own is true for one whose setting cannot fail.
	Property(o *goja.Object, name string) (v goja.Value, own bool)
	SetProperty(o *goja.Object, name string, v goja.Value)
	// Made tells whether a value is the function of that source. If it uses names around it, it must have been made
	// where the kernel stands, or around that.
	Made(v goja.Value, source string, free bool) bool
	// Lengths tells whether the length of a typed array is what the language has, Fills the same of one of its methods,
	// Methods of a DataView's, and Math of these functions of Math.
	Lengths(o *goja.Object) bool
	Fills(o *goja.Object, name string) bool
	Methods(o *goja.Object, name string) bool
	Math(names []string) bool
	// Integer is a number that is an integer and not -0, and Float one that is none.
	Integer(v goja.Value) (n int64, ok bool)
	Float(v goja.Value) (f float64, ok bool)
	// Value makes a number into JavaScript's, and Whole an integer of at most 53 bits.
	Value(f float64) goja.Value
	Whole(n int64) goja.Value
	// Interrupted tells whether the kernel is to end.
	Interrupted() bool
}

// Outcome is how a kernel has ended.
type Outcome uint8

// The outcomes.
const (
	NotRun   Outcome = iota // goja must run the statements
	Ran                     // goes on behind the kernel
	Returned                // the function returns
	Stopped                 // by an interrupt
	Threw                   // as the Throw says
	Exited                  // goja goes on at an exit
)

// Result is what a kernel ends with.
type Result struct {
	Outcome
	Value  goja.Value // of Returned
	Throw  Throw
	View   goja.Value // that Throw's call is of
	Source goja.Value // that it sets; nil for a view
	Offset float64    // that it got
	Exit   int        // of Exited
}

var errDefect = errors.New("kernel: a defect")

// Run runs the kernel.
func (k *Kernel) Run(f Frame) Result {
	if k.refused.Load() > maxRefused {
		k.disarm()
		return Result{}
	}
	if k.resting() {
		return Result{}
	}
	e := entries.Get().(*entry)
	e.kernel, e.frame = k, f
	defer func() {
		e.kernel, e.frame, e.copies, e.tables = nil, nil, nil, nil
		clear(e.values[:cap(e.values)])
		clear(e.given[:cap(e.given)])
		entries.Put(e)
	}()
	v := e.again()
	if v == nil {
		if !e.read() {
			k.refused.Add(1)
			k.disarm()
			return Result{}
		}
		if enough := k.threshold(); k.heat.Load() < enough {
			if k.heat.Add(1+e.size/256) < enough {
				return Result{}
			}
		}
		v = k.version(e)
	}
	k.disarm()
	if v.code == nil || len(v.written) > 0 && !(e.distinct() && e.own(v.written)) ||
		len(e.tables) > 0 && !e.still(v) || k.plan.iterates && !f.Iterates() ||
		len(k.plan.math) > 0 && !f.Math(k.plan.math) || k.plan.texts && !f.Texts() {
		k.refused.Add(1)
		return Result{}
	}
	i, err := v.code.Take(v.slots)
	if err != nil {
		return Result{}
	}
	defer i.Give()
	copy(i.Stack, e.params)
	i.Poll = f.Interrupted
	switch err := i.Call(); {
	case errors.Is(err, native.ErrStopped):
		return Result{Outcome: Stopped}
	case err != nil:
		panic(fmt.Errorf("%w: %w", errDefect, err))
	}
	out := e.write(v, i.Stack)
	k.left(out, e.few(out))
	return out
}

// threshold is how hot it must be. As long as the one around it may come instead, it waits.
func (k *Kernel) threshold() int64 {
	if k.outer != nil && k.outer.refused.Load() == 0 && k.outer.rests.Load() <= 0 {
		return patience * Threshold
	}
	return Threshold
}

// patience is how many times as hot a kernel gets for which the one around it may come.
const patience = 32

// maxRefused is after how many calls in a row that did not fit a kernel is given up.
const maxRefused = 200

// version is the code for an entry's kinds.
func (k *Kernel) version(e *entry) *version {
	if v := k.last.Load(); v != nil && v.key == string(e.key) {
		return v
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	v := k.versions[string(e.key)]
	if v == nil {
		if k.versions == nil {
			k.versions = map[string]*version{}
		}
		if len(k.versions) >= maxVersions {
			return &version{}
		}
		v = compile(k.plan, e.kinds)
		v.key = string(e.key)
		v.kinds = slices.Clone(e.kinds)
		for n, in := range k.plan.inputs {
			if in.exit > 0 || in.declared || in.fresh {
				continue
			}
			if in.guards == nil || v.kinds[n].sort != sortSkipped || slices.ContainsFunc(in.guards, e.holds) {
				v.looks = append(v.looks, n)
			}
		}
		k.doubles = k.doubles || v.narrow
		k.versions[v.key] = v
	}
	k.other.Store(k.last.Swap(v))
	return v
}

// maxVersions bounds the combinations of kinds that a kernel is compiled for.
const maxVersions = 12
