package bounds_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/ecma/ecmatest"
)

// endless are calls that goja's own functions would be busy with for hours. The test's own limit is what fails.
var endless = []string{
	"Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
	"Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => {})",
	"Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)",
	"Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
	"Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)",
	"Array.prototype.reduce.call({ length: 2 ** 53 - 1 }, () => {})",
	"Array.prototype.shift.call({ length: 2 ** 53 - 1 })",
	"Array.prototype.unshift.call({ length: 2 ** 53 - 9 }, 1)",
	"const a = []; a[4294967294] = 1; a.indexOf(2)",
	"const a = []; a[4294967294] = 1; a.includes(2)",
	"const a = []; a[4294967294] = 1; a.lastIndexOf(2)",
	"const a = []; a[4294967294] = 1; a.map(() => 1)",
	"const a = []; a[4294967294] = 1; a.some((x) => !x)",
	"let o = {}; for (let i = 0; i < 60; i++) o = { o, p: o }; JSON.stringify(o)",
	"Array.prototype.indexOf.call(Object.assign(Object.create(null), { length: 2 ** 53 - 1 }), 1)",
	"Array.prototype.fill.call(Object.assign(Object.create(null), { length: 2 ** 53 - 1 }), 1)",
	"Array.prototype.reverse.call(Object.setPrototypeOf({ length: 2 ** 53 - 1 }, null))",
	"Array.prototype.indexOf.call({ __proto__: null, length: 2 ** 53 - 1 }, 1)",
	"Array.prototype.indexOf.call(Object.setPrototypeOf(Object.defineProperty(() => {}, 'length', {" +
		" value: 2 ** 53 - 1 }), null), 1)",
	"const a = []; a[4294967294] = 1; Object.setPrototypeOf(a, null); Array.prototype.indexOf.call(a, 2)",
	"[].concat(Object.assign(Object.create(null), { length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true }))",
	"String.raw({ raw: Object.assign(Object.create(null), { length: 2 ** 53 - 1 }) })",
	"let o = Object.create(null); for (let i = 0; i < 60; i++) { const p = Object.create(null); p.o =" +
		" p.p = o; o = p } JSON.stringify(o)",
	"let o = JSON.rawJSON('1'); for (let i = 0; i < 60; i++) o = [o, o]; JSON.stringify(o)",
	"[...{ [Symbol.iterator]() { return { next: Object.prototype.valueOf } } }]",
	"new Set({ [Symbol.iterator]() { return { next: Object.prototype.valueOf } } })",
}

// An interrupt ends what goja's own functions do, too.
func TestInterruptNative(t *testing.T) {
	for _, body := range endless {
		e := ecmatest.New(t)
		timer := time.AfterFunc(5*time.Millisecond, func() { e.Runtime.Interrupt("stopped") })
		p, err := ecma.Compile("n.js", "(() => {"+body+"\n})()", true)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Runtime.RunProgram(p)
		timer.Stop()
		var interrupted *goja.InterruptedError
		if !errors.As(err, &interrupted) || interrupted.Value() != "stopped" || len(interrupted.Stack()) == 0 {
			t.Errorf("%s\n\t%v, %v", body, v, err)
		}
	}
}
