package objectjs

import (
	"strings"
	"testing"
)

// CL1, CL2, CL3, CL4, CL5, CL6, CL13 and CL15, each clause, as the reference answers.
func TestClassFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{name: "cl", classes: []string{"Extended", "Plain", "Bare", "BareEnv", "Fails", "NoFetch",
		"Wrong"},
		others: upperCase("cl", "Extended", "Plain", "Bare", "BareEnv", "Fails", "NoFetch", "Wrong")},
		script("classfacts.js")+cases)
	b.checkCases(w,
		"CL1 extended", "args,ctx,env 2 Extended false", "CL1 plain", " 2 a true",
		"CL1 plain rpc", "TypeError(\"The receiving Durable Object does not support RPC, because its class was not "+
			"declared with `extends DurableObject`. In order to enable RPC, make sure your class extends the "+
			"special class `DurableObject`, which can be imported from the module \\\"cloudflare:workers\\\".\") "+
			"remote",
		// Nothing is stored for a class without a constructor: the handler's own mistake comes out.
		"CL2 state", `TypeError("Cannot read properties of undefined (reading 'id')") remote`,
		"CL2 env", `TypeError("Cannot read properties of undefined (reading 'PLAIN')") remote`,
		"CL3 lazy", `[0,1,"ctor,fetch"]`,
		"CL4 waiting", `RangeError("built badly 1") durableObjectReset | `+
			`RangeError("built badly 1") durableObjectReset | RangeError("built badly 1") durableObjectReset | hello`,
		"CL4 fetch", `RangeError("built badly 1") remote durableObjectReset | `+
			`RangeError("built badly 1") durableObjectReset | hello`,
		"CL5 class", `Error("Handler does not export a fetch() function.") remote`,
		"CL6 wrong", `TypeError("Incorrect type for Promise: the Promise did not resolve to 'Response'.") remote`,
		"CL13 context", `{"own":"container,exports,facets,id,props,storage","methods":"abort,acceptWebSocket,`+
			`blockConcurrencyWhile,constructor,getHibernatableWebSocketEventTimeout,getTags,getWebSocketAutoResponse,`+
			`getWebSocketAutoResponseTimestamp,getWebSockets,setHibernatableWebSocketEventTimeout,`+
			`setWebSocketAutoResponse,waitUntil","props":"{}","container":"undefined",`+
			`"tag":"[object DurableObjectState]","self":"object,object,object,`+
			`8d57eadd38166603c583966dab355fec5a9de92a38129d6c6b80041ab2f88be5"}`,
		// The reference's own table of names is not needed here (see TestObjectsOfTheReference of package
		// runtime for directories that have it).
		"CL15 tables", "_cf_KV", "CL15 name", "Extended",
	)
	// CL5
	const why = "Received a FetchEvent but we lack a handler for FetchEvents. Did you remember to export a fetch() " +
		"function?"
	if notes := b.notes(); !strings.Contains(notes, why) {
		t.Errorf("CL5: nothing says why: %s", notes)
	}
}

// upperCase binds classes of a Worker under their names in capitals as well.
func upperCase(worker string, classes ...string) map[string]Class {
	out := map[string]Class{}
	for _, name := range classes {
		out[strings.ToUpper(name)] = Class{Worker: worker, Name: name, SQL: true}
	}
	return out
}
