package syntax

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// TestDefaultsInPatterns: patterns nest, each with a default value (ECMA-262, 14.3.3).
func TestDefaultsInPatterns(t *testing.T) {
	for _, source := range []string{
		`let { y: [a = 1] = [] } = {}; a`,
		`let { y: [, a = (0, 1)] = [] } = {}; a`,
		`let { y: [a = ((() => (1)))()] = [] } = {}; a`,
		`let { k: { y: [a = 1] = [] } = {} } = {}; a`,
		`let [q, ...{ y: [a = 1] = [] }] = [2]; a`,
		`(({ y: [a = 1] = [] } = {}) => a)()`,
		`(function ({ k: [{ y: [a = 1] = [] } = {}] = [] } = {}) { return a })()`,
		`let { b: [[a = 1] = []] = [] } = {}; a`,
		`let { b: [{ a = 1 } = {}] = [] } = {}; a`,
		`let { b: [{ c: a = 1 } = {}] = [] } = {}; a`,
		`let { b: [{ c: [a = 1] }] = [{ c: [] }] } = {}; a`,
		`for (const { x: [a = 1, { z = a } = {}] = [] } of [{}]) z`,
		`let { y: [a = ({ y: [b = 1] }) => b] = [] } = {}; a({ y: [] })`,
		`let { y: [a = ({ y: [b = 1] = [] }) => b] = [] } = {}; a({})`,
		`let { y: [a = (([{ y: [b = 1] = [] } = {}, ...r] = []) => b)()] = [] } = {}; a`,
		`let { y: [a = 1] = [] } = {}; const o = { a, m() { return this.a } }; (o.m)()`,
		`try { throw {} } catch ({ y: [a = 1] = [] }) { a }`,
		"let { y: [a = `${1}`] = [] } = {}; +a",
		`let r; (async function () { let { y: [a = await 1] = [] } = {}; r = a })(); 1`,
		`(function* () { let { y: [a = yield 1] = [] } = {} })().next().value`,
		`(new class extends class { get m() { return 1 } } { #p = 0; n() {
			let { y: [a = super.m + this.#p] = [] } = {}; return a } }).n()`,
	} {
		source = "/* in front of the first statement is the calling contract */ " + source
		tree, err := Parse("a.js", source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		p, err := goja.CompileAST(tree, true)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		v, err := goja.New().RunProgram(p)
		if err != nil || v.String() != "1" {
			t.Errorf("%s: %v %v", source, v, err)
		}
	}
}

// TestErrorsStay: what is wrong is refused, at its place.
func TestErrorsStay(t *testing.T) {
	const target = "Invalid destructuring assignment target"
	for source, want := range map[string]string{
		`let { y: [a.b = 1] = [] } = {}`:                        "a.js: Line 1:11 " + refused,
		`let { y: [1] = [] } = {}`:                              "a.js: Line 1:11 " + target,
		`let { y: [a = 1] = [] } = {}; let 1`:                   "a.js: Line 1:35 Unexpected number",
		`let { y: [a = 1] = [] } = {}; let { y: [1 = 2] } = {}`: "a.js: Line 1:41 Invalid left-hand side in assignment",
	} {
		_, err := Parse("a.js", source)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
}
