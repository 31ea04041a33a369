(function* (ask, given = 1, ...rest) { "use strict"; ask({ __proto__: null });
var a = 1, b = /[/]}/g, { c, d: [e = 2] } = ask;
var t = `text ${ `${a}
 var ${b}` } }`
var f = function named(x) { var y = x; for (var z of y) { if (z) continue; else break } return y }
function g(x, { y } = {}) { "use strict"; return x ?? y?.[0]?.(1) }
var h = async (x) => await x, i = async function* () { yield* [await 1] }
class K extends (class { static #p = 1; static { var s = 1 } }) {
  constructor() { super(); new.target }
  get m() { return super.m }
}
label: for (var i1 = 0, j1; i1 < 1; i1++) { try { if (i1) break label } catch { throw 1 } finally { a++ } }
yield ({ a, f })
var k = class Named { x = 1n; static async *[a]() {} };
switch (a) { case 1: { let q = 1 } default: var r = a ? b : (c, d) }
yield
var l = a
/* of more than
 one line */
var m = a ** 2 / b /c; do a--; while (a)
var n = function () {
  var inner = 1;
};
})