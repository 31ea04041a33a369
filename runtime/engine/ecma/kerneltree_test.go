package ecma_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/dop251/goja/ast"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/kernel"
	"eddy/runtime/engine/syntax"
)

// A program does not keep the tree of its script, though its kernels have some statements of it: neither by what a look
// at a function that does not fit has left behind, nor by the list that a kernel's statements are of.
func TestKernelsKeepNoTree(t *testing.T) {
	for name, src := range map[string]string{
		"a function that does not fit": `(function () {
			function unused() { return 1 }
			let far = 3;
			const one = { near(a, b) { return a + b } }, two = { near(a, b) { return far + String(a) + far.x.y(b) } };
			function k(a, n, o) { for (let i = 0; i < n; i++) a[i] = o.near(a[i], i); return a }
			return k })()`,
		"a list of statements": `(function () {
			function unused() { return 1 }
			const a = new Uint8Array(100);
			for (let i = 0; i < 100; i++) a[i] = i * 3;
			return a })()`,
	} {
		t.Run(name, func(t *testing.T) {
			made := kernelsOn(t, true)
			seen, found := kernel.Seen, 0
			kernel.Seen = func(list []*kernel.Kernel) { found = len(list); seen(list) }
			tree, err := syntax.Parse("tree.js", src)
			if err != nil {
				t.Fatal(err)
			}
			call := tree.Body[0].(*ast.ExpressionStatement).Expression.(*ast.CallExpression)
			around := call.Callee.(*ast.FunctionLiteral).Body
			unused := weak.Make(around.List[0].(*ast.FunctionDeclaration).Function)
			call, around = nil, nil
			prg, err := ecma.CompileTree(src, tree, true)
			if err != nil {
				t.Fatal(err)
			}
			tree = nil
			kernel.Seen = seen
			runtime.GC()
			if found == 0 {
				t.Error("no kernel")
			}
			if unused.Value() != nil {
				t.Error("the tree is alive")
			}
			runtime.KeepAlive(prg)
			runtime.KeepAlive(made)
		})
	}
}
