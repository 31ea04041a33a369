package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cases is the frame of a Worker whose paths are cases; a case answers with what its function gives or throws.
var cases = script("namespacefacts", "cases.js")

// checkCases asks for every case. Pairs are a case, which begins with the fact's number, and its answer.
func (s *served) checkCases(pairs ...string) {
	s.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if _, got := s.ask("GET", "/"+strings.ReplaceAll(pairs[i], " ", "%20"), ""); got != pairs[i+1] {
			s.t.Errorf("%s\n got %s\nwant %s", pairs[i], got, pairs[i+1])
		}
	}
}

var namespaceWorker = script("namespacefacts", "namespace.js") + cases

const namespaceConfig = `{ "name": "odo", "main": "index.js", "compatibility_date": "2026-04-01",
  "durable_objects": { "bindings": [{ "name": "A", "class_name": "A" }, { "name": "A2", "class_name": "A" }, {
    "name": "B", "class_name": "B" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["A", "B"] }],
  "env": { "staging": { "durable_objects": { "bindings": [{ "name": "A", "class_name": "A" }] } } } }`

// ID1 and ID5 to ID14, each clause.
func TestNamespaceFacts(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", namespaceConfig, "index.js", namespaceWorker)
	s := p.serve()
	const notID = `parameter 1 is not of type 'DurableObjectId'.")`
	s.checkCases(
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
		"ID14 named", "inside", "ID14 from string", "inside", "ID14 unnamed", "undefined", "ID14 arm", "undefined",
	)
	s.end() // so that the alarm alone wakes the object
	s = p.serve(func(o *Options) {})
	s.clock.Advance(t.Context(), 61e9)
	s.checkCases("ID14 woken", "alarm")
}

// ID3: the unique key is the Worker's name, with the environment's, and the class; so is the folder. A binding with
// script_name has the other Worker's (ID4 has the vector).
func TestUniqueKeyFacts(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", strings.ReplaceAll(strings.ReplaceAll(namespaceConfig, `"A"`, `"SqlDO"`),
		`"name": "SqlDO"`, `"name": "A"`),
		"index.js", strings.ReplaceAll(namespaceWorker, "class A ", "class SqlDO "),
		"main.jsonc", `{ "name": "main", "main": "main.js", "compatibility_date": "2026-04-01", `+
			`"durable_objects": { "bindings": [{ "name": "A", "class_name": "Ext", "script_name": "other" }] } }`,
		"main.js", `const cases = { "ID3 id": (env) => env.A.idFromName("a").toString() };`+cases)
	folders := func() string {
		dirs, err := os.ReadDir(filepath.Join(p.dir, ".wrangler", "state", "v3", "do"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range dirs {
			names = append(names, d.Name())
		}
		return strings.Join(names, " ")
	}
	s := p.serve()
	s.checkCases("ID3 id", "f179fe6d32fcf357d8179536dd4f72a9f6a6829d2006c8c342dcc12b5d6ce5d9", "ID14 arm", "undefined")
	s.end()
	if got := folders(); got != "odo-SqlDO" {
		t.Errorf("folders %q", got)
	}
	s = p.serve(func(o *Options) { o.Env = "staging" })
	s.checkCases("ID14 arm", "undefined")
	s.end()
	if got := folders(); got != "odo-SqlDO odo-staging-SqlDO" {
		t.Errorf("folders %q", got)
	}
	s = p.serve(using("main"))
	s.checkCases("ID3 id", "dbb19d40db322b3be0e49aaa4c76b8ea4bc01738dd36061ffb8dc7e02ed55b43")
}
