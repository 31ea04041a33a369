package clone

import (
	"testing"

	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/webapitest"
)

func TestStructuredClone(t *testing.T) {
	r := webapitest.New(t, events.Install, Install)
	for _, c := range [][2]string{
		{`JSON.stringify(structuredClone({a: [1, new Date(0)], m: 1})) + structuredClone(new Map([[1, 2]])).get(1)`,
			`{"a":[1,"1970-01-01T00:00:00.000Z"],"m":1}2`},
		{`(b => structuredClone(b, {transfer: [b]}).byteLength + "" + b.byteLength)(new ArrayBuffer(3))`, "30"},
		{`(() => { try { structuredClone(() => 1) } catch (e) { return e.name + e.code } })()`, "DataCloneError25"},
		{`new Promise(r => { const {port1, port2} = new MessageChannel; const o = {x: 1}; ` +
			`port2.onmessage = e => r(e.data.x + "" + (e.data === o)); port1.postMessage(o) })`, "1false"},
	} {
		r.Expect("return "+c[0], c[1])
	}
}
