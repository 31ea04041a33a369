package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// Explain gets a line for each loop that is no kernel and each kernel that does not fit, with the reason, where the
// variable EDDY_KERNELS is why. It is a variable for tests.
var Explain = func() func(line string) {
	if os.Getenv("EDDY_KERNELS") != "why" {
		return nil
	}
	return func(line string) { fmt.Fprintln(os.Stderr, line) }
}()

// failsAt notes the innermost node that the look has failed at.
func (k *checker) failsAt(n ast.Node) {
	if k.fails && k.why == nil && Explain != nil {
		k.why = n
	}
}

// refuses notes what keeps a statement out of kernels.
func (f *Finder) refuses(s ast.Statement, why ast.Node) {
	if Explain == nil || !hasLoop(s) {
		return
	}
	if f.refusals == nil {
		f.refusals = map[ast.Statement]ast.Node{}
	}
	f.refusals[s] = why
}

// explain tells why loops are no kernels.
func (f *Finder) explain() {
	if Explain == nil {
		return
	}
	list := make([]ast.Statement, 0, len(f.refusals))
	for s := range f.refusals {
		if f.around(int(begins(s))) == nil {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b ast.Statement) int { return int(begins(a)) - int(begins(b)) })
	for _, s := range list {
		why := f.refusals[s]
		if why == nil {
			continue
		}
		at := why.Idx0()
		if st, ok := why.(ast.Statement); ok {
			at = begins(st)
		}
		Explain(fmt.Sprintf("kernel: %s has no kernel: %s is none's: %s", placeIn(f.file, begins(s)),
			placeIn(f.file, at), excerpt(f.file, at)))
	}
	for _, k := range f.kernels {
		k.plan.file = f.file
	}
}

// explainUnfit tells why a kernel does not fit to what there is.
func explainUnfit(p *plan, at ast.Statement, why error) {
	if Explain == nil || p.file == nil || at == nil {
		return
	}
	Explain(fmt.Sprintf("kernel: the one at %s does not fit: %s: %v: %s", placeIn(p.file, begins(p.list[0])),
		placeIn(p.file, begins(at)), why, excerpt(p.file, begins(at))))
}

func placeIn(f *file.File, at file.Idx) string {
	p := f.Position(int(at) - f.Base())
	return fmt.Sprintf("%d:%d", p.Line, p.Column)
}

// excerpt is the text from a place on, to the end of its line at most.
func excerpt(f *file.File, at file.Idx) string {
	text := f.Source()
	text = text[min(len(text), max(0, int(at)-f.Base())):]
	text, _, _ = strings.Cut(text, "\n")
	return text[:min(len(text), 80)]
}
