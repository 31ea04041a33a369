package objectjs

import (
	"strings"
	"testing"
)

// facts runs a Worker's tests; want maps each to what it must answer.
func facts(t *testing.T, c config, src string, want [][2]string) {
	t.Helper()
	b := newBench(t)
	w := b.start(c, prelude+src)
	for _, f := range want {
		b.notes()
		if got := b.get(w, "/"+f[0]); got != f[1] {
			got = got[:min(len(got), 4000)]
			t.Errorf("%s\n got: %s\nwant: %s\nnotes: %s", f[0], got, f[1], strings.ReplaceAll(b.notes(), "|", "\n   "))
		}
	}
}

var rpcObject = script("facts_rpc_object.js")

// RPC1 to RPC21, CL1 to CL6, GT5 to GT8.
func TestRPCFacts(t *testing.T) {
	c := config{classes: []string{"A", "P", "Reset", "Bad"}}
	facts(t, c, rpcObject+script("facts_rpcfacts.js"), [][2]string{
		{"shape", `name,id function true true [object JsRpcProperty] [object DurableObject]  {"name":"a",` +
			`"id":{"name":"a"}}`},
		{"awaited", "true"},
		{"promise", "function false [object JsRpcPromise] function"},
		{"all", "2 2 1,x"},
		{"arity", "0,1,2"},
		{"members", "u\n7\n8\n" + strings.Join(noMethods("field", "arrow", "s", "ctx", "env", "setter",
			"hasOwnProperty2", "nope"), "\n")},
		{"notFunction", `TypeError: "getter" is not a function. remote`},
		{"pipelining", "8|1|Pz|7|" + noMethods("nope")[0]},
		{"reserved", "TypeError: 'alarm' is a reserved method and cannot be called over RPC. remote\n" +
			"TypeError: 'webSocketMessage' is a reserved method and cannot be called over RPC. remote\n" +
			"TypeError: 'dup' is a reserved method and cannot be called over RPC. remote"},
		{"detached", "8"},
		{"values", "5,1,true,x,true,1,2,RangeError,true,true,Infinity,true,true,true"},
		{"callbacks", "41,21"},
		{"dies", "Error: RPC stub used after being disposed.|2"},
		{"disposal", "disposed D|Error: RPC stub used after being disposed."},
		{"wraps", "TypeError: Failed to construct 'JsRpcStub': constructor parameter 1 is not of type " +
			"'Object'.|TypeError: RpcStubs can only wrap plain objects, functions, and RpcTarget derivatives.|4|3"},
		{"errors", "TypeError: t remote\nError: MyErr: custom remote\nAbortError: d remote\nError: a string remote\n" +
			"Error: #<Object> remote\nError: null remote\nError: plain remote\nundefined true"},
		{"clone", strings.Join([]string{
			`DataCloneError: Could not serialize object of type "Foo". This type does not support serialization.`,
			`DataCloneError: Symbol(q) could not be cloned.`, `DataCloneError: #<WeakMap> could not be cloned.`,
			// A stub crosses, as a service stub without id and name.
			`no error: [object Fetcher]`,
			`DataCloneError: Could not serialize object of type "DurableObjectNamespace". This type does not support ` +
				`serialization.`,
			`DataCloneError: Could not serialize object of type "URL". This type does not support serialization.`,
			`DataCloneError: Could not serialize object of type "Object". This type does not support serialization.`,
			`DataCloneError: Could not serialize object of type "DurableObjectId". This type does not support ` +
				`serialization.`,
			`DataCloneError: Could not serialize object of type "Plain". This type does not support serialization. ` +
				`remote`,
		}, "\n")},
		{"errorValue", "RangeError,as value,"},
		{"streams", "streamed|201|b|resp|POST http://h/p y body|into"},
		{"limit", "Error: Serialized RPC arguments or return values are limited to 32MiB, but the size of this " +
			"value was: 34603020 bytes."},
		{"order", "slow0,slow5"},
		{"ends", "gone"},
		{"ended", "slow30"},
		{"nested", "via"},
		{"plainClass", "plain class|TypeError: The receiving Durable Object does not support RPC, because its class " +
			"was not declared with `extends DurableObject`. In order to enable RPC, make sure your class extends " +
			"the special class `DurableObject`, which can be imported from the module \"cloudflare:workers\". remote"},
		{"relative", "TypeError: Invalid URL: /foo|TypeError: Failed to execute 'fetch' on 'Fetcher': parameter 1 " +
			"is not of type 'Request or string'."},
		{"noFetch", "Error: Handler does not export a fetch() function. remote"},
		{"handlerThrows", "2"},
		{"abort", "Error: why durableObjectReset\nError: why durableObjectReset\n1\nnothing"},
		{"abortPlain", "Error: Application called abort() to reset Durable Object. durableObjectReset"},
		{"section", "Error: in section durableObjectReset\n1\nError: in section durableObjectReset\n1"},
		{"sectionTime", "Error: A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call " +
			"was canceled and the Durable Object was reset. overloaded durableObjectReset\n" +
			"Error: A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was " +
			"canceled and the Durable Object was reset. overloaded durableObjectReset"},
		{"bad", "Error: ctor durableObjectReset\nError: ctor durableObjectReset\nError: ctor durableObjectReset"},
		{"ids", "true\ntrue\n{\"name\":\"a\"}\n{}\n\nTypeError: Invalid Durable Object ID: must be 64 hex digits\n" +
			"TypeError: Durable Object ID is not valid for this namespace.\n" +
			"TypeError: Failed to execute 'idFromName' on 'DurableObjectNamespace': parameter 1 is not of type " +
			"'string'.\nTypeError: Failed to execute 'get' on 'DurableObjectNamespace': parameter 1 is not of type " +
			"'DurableObjectId'.\nError: Jurisdiction restrictions are not implemented in workerd.\n" +
			"RangeError: unknown routingMode: zzz"},
	})
}

func noMethods(names ...string) []string {
	var out []string
	for _, n := range names {
		out = append(out, `TypeError: The RPC receiver does not implement the method "`+n+`". remote`)
	}
	return out
}
