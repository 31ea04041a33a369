package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// What finally throws leaves the statement, whichever way it was entered. As in Node.
func TestFinally(t *testing.T) {
	l, rt := layout(t), goja.New()
	v := runQuickened(t, l, rt, `const r = [];
		function g() { null.x }
		function* y() { try { yield 1 } catch (e) { r.push("caught") } finally { yield 2; throw 5 } }
		for (const f of [
			() => { try { } catch (e) { r.push("caught") } finally { throw 1 } },
			() => { try { r.push(0) } catch (e) { r.push("caught") } finally { g() } },
			() => { try { throw 1 } catch (e) { r.push(e) } finally { throw 2 } },
			() => { try { throw 1 } catch (e) { throw 2 } finally { throw 3 } },
			() => { try { return 1 } catch (e) { r.push("caught") } finally { throw 4 } },
			() => { try { try { } catch (e) { r.push("caught") } finally { throw 6 } }
				catch (e) { r.push("outer" + e) } },
			() => { try { try { } finally { r.push("f") } } catch (e) { r.push("caught") } finally { r.push("g") } },
			() => [...y()],
		]) try { f(); r.push("ends") } catch (e) { r.push(e.name || e) }
		r.join()`, true)
	if want := "1,0,TypeError,1,2,3,4,outer6,ends,f,g,ends,5"; v.String() != want {
		t.Errorf("got  %s\nwant %s", v, want)
	}
}
