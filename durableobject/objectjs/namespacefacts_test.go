package objectjs

import (
	"strings"
	"testing"
	"time"

	"eddy/runtime/worker"
)

// cases is the frame of a Worker whose paths are cases; a case answers with what its function returns or throws.
var cases = script("cases.js")

// checkCases asks for every case. Pairs are a case, which begins with the fact's number, and its answer.
func (b *bench) checkCases(w *worker.Worker, pairs ...string) {
	b.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		b.expect(w, "/"+strings.ReplaceAll(pairs[i], " ", "%20"), pairs[i+1])
	}
}

var namespaceConfig = config{name: "odo", classes: []string{"A", "B"},
	others: map[string]Class{"A2": {Worker: "odo", Name: "A", SQL: true}}}

// ID1, ID5, ID6, ID7, ID8, ID9, ID10, ID11, ID12, ID13 and ID14, each clause.
func TestNamespaceFacts(t *testing.T) {
	worker := script("namespacefacts.js") + cases
	b := newBench(t)
	w := b.start(namespaceConfig, worker)
	const notID = `parameter 1 is not of type 'DurableObjectId'.")`
	b.checkCases(w,
		"ID1 methods", "constructor,get,getByName,idFromName,idFromString,jurisdiction,newUniqueId", "ID1 own", "",
		"ID1 constructor", `TypeError("Illegal constructor")`, "ID1 name", "DurableObjectNamespace", "ID1 global",
		"undefined",
		"ID5 coerced", `["42","null","undefined","[object Object]"]`, "ID5 same", "true",
		"ID5 nothing", `TypeError("Failed to execute 'idFromName' on 'DurableObjectNamespace': parameter 1 is not of `+
			`type 'string'.")`,
		"ID5 symbol", `TypeError("Cannot convert a Symbol value to a string")`, "ID5 empty", "true",
		"ID6 unique", `["false","undefined","true"]`, "ID6 eu",
		`Error("Jurisdiction restrictions are not implemented in workerd.")`,
		"ID6 subnamespace", `Error("Jurisdiction restrictions are not implemented in workerd.")`, "ID6 null", "64",
		"ID6 none", "function",
		"ID7 lower", "true", "ID7 short", `TypeError("Invalid Durable Object ID: must be 64 hex digits")`,
		"ID7 not hex", `TypeError("Invalid Durable Object ID: must be 64 hex digits")`,
		"ID7 other", `TypeError("Durable Object ID is not valid for this namespace.")`, "ID7 name", "undefined",
		"ID8 own", `["jurisdiction undefined true false","name a true false"]`, "ID8 absent",
		`["undefined",true,false]`,
		"ID8 methods", "constructor,equals,toString", "ID8 json", `[{"name":"a"},{}]`, "ID8 hex", "true", "ID8 tag",
		"[object DurableObjectId]",
		"ID8 equals", "[true,false]", "ID8 no id", `TypeError("Failed to execute 'equals' on 'DurableObjectId': `+notID,
		"ID9 string", `TypeError("Failed to execute 'get' on 'DurableObjectNamespace': `+notID, "ID9 null",
		`TypeError("Failed to execute 'get' on 'DurableObjectNamespace': `+notID,
		"ID9 nothing", `TypeError("Failed to execute 'get' on 'DurableObjectNamespace': `+notID, "ID9 foreign", "true",
		"ID10 hint", "aaaaaaaaaa", "ID10 primary", "a", "ID10 routing", `RangeError("unknown routingMode: zzz")`,
		"ID11 same", "true", "ID11 lazy", "[0,1]",
		"ID12 id", `DataCloneError("Could not serialize object of type \"DurableObjectId\". This type does not `+
			`support serialization.")`,
		"ID12 namespace", `DataCloneError("Could not serialize object of type \"DurableObjectNamespace\". This type `+
			`does not support serialization.")`,
		"ID13 ids", "true", "ID13 instance", "[1,2,3]",
		"ID14 named", `["inside","inside"]`, "ID14 unnamed", "undefined", "ID14 arm", "undefined",
	)
	b.close() // so that the alarm alone wakes the object
	b = newBenchAt(t, b.root, Options{})
	w = b.start(namespaceConfig, worker)
	b.clock.Advance(t.Context(), 61*time.Second)
	b.checkCases(w, "ID14 woken", "alarm")
}
