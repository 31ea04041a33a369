package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cases is the frame of a Worker whose paths are cases; a case answers with what its function gives or throws.
const cases = `
const flagsOf = (e) => ["remote", "retryable", "overloaded", "durableObjectReset"].filter((k) => e?.[k]).map((k) =>
  " " + k).join("");
const show = (v) => typeof v === "string" ? v : v === undefined ? "undefined" : typeof v === "object" && v !== null ?
  JSON.stringify(v) : String(v);
const attempt = async (f) => { try { return show(await f()); } catch (e) {
  return e instanceof Error ? e.name + "(" + JSON.stringify(e.message) + ")" + flagsOf(e) : "thrown " + show(e); } };
const own = (o) => Object.getOwnPropertyNames(o).sort().join();
export default { async fetch(request, env, ctx) {
  const f = cases[decodeURIComponent(new URL(request.url).pathname.slice(1))];
  return new Response(f ? await attempt(() => f(env, ctx, request)) : "no such case");
} };
`

// checkCases asks for every case. Pairs are a case, which begins with the fact's number, and its answer.
func (s *served) checkCases(pairs ...string) {
	s.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if _, got := s.ask("GET", "/"+strings.ReplaceAll(pairs[i], " ", "%20"), ""); got != pairs[i+1] {
			s.t.Errorf("%s\n got %s\nwant %s", pairs[i], got, pairs[i+1])
		}
	}
}

const namespaceWorker = `
import { DurableObject } from "cloudflare:workers";
let born = 0;
export class A extends DurableObject {
  constructor(ctx, env) { super(ctx, env); born++; this.n = 0; }
  inc() { return ++this.n; }
  called() { return this.ctx.id.name; }
  async arm() { await this.ctx.storage.setAlarm(Date.now() + 60000); }
  async alarm() { await this.ctx.storage.put("name", String(this.ctx.id.name)); }
  woken() { return this.ctx.storage.get("name"); }
}
export class B extends DurableObject { hex() { return String(this.ctx.id); } }
const clone = (v) => structuredClone(v);
const cases = {
  "ID1 methods": (env) => own(Object.getPrototypeOf(env.A)),
  "ID1 own": (env) => own(env.A),
  "ID1 constructor": (env) => new env.A.constructor(),
  "ID1 name": (env) => env.A.constructor.name,
  "ID1 global": () => typeof DurableObjectNamespace,
  "ID5 coerced": (env) => [42, null, undefined, {}].map((v) => env.A.idFromName(v).name),
  "ID5 same": (env) => env.A.idFromName(undefined).equals(env.A.idFromName("undefined")),
  "ID5 nothing": (env) => env.A.idFromName(),
  "ID5 symbol": (env) => env.A.idFromName(Symbol("x")),
  "ID5 empty": (env) => env.A.idFromName("").name === "",
  "ID6 unique": (env) => { const a = env.A.newUniqueId(), b = env.A.newUniqueId();
    return [a.equals(b), a.name, env.A.idFromString(a.toString()).equals(a)].map(String); },
  "ID6 eu": (env) => env.A.newUniqueId({ jurisdiction: "eu" }),
  "ID6 subnamespace": (env) => env.A.jurisdiction("eu"),
  "ID6 null": (env) => env.A.newUniqueId({ jurisdiction: null }).toString().length,
  "ID6 none": (env) => typeof env.A.jurisdiction().get,
  "ID7 lower": (env) => { const id = env.A.idFromName("a").toString();
    return env.A.idFromString(id.toUpperCase()).toString() === id; },
  "ID7 short": (env) => env.A.idFromString("abc"),
  "ID7 not hex": (env) => env.A.idFromString("z".repeat(64)),
  "ID7 other": (env) => env.A.idFromString(env.B.idFromName("a").toString()),
  "ID7 name": (env) => env.A.idFromString(env.A.idFromName("a").toString()).name,
  "ID8 own": (env) => Object.entries(Object.getOwnPropertyDescriptors(env.A.idFromName("a"))).map(([k, d]) =>
    [k, String(d.value), d.enumerable, d.writable].join(" ")).sort(),
  "ID8 absent": (env) => { const d = Object.getOwnPropertyDescriptor(env.A.newUniqueId(), "name");
    return [String(d.value), d.enumerable, d.writable]; },
  "ID8 methods": (env) => own(Object.getPrototypeOf(env.A.idFromName("a"))),
  "ID8 json": (env) => JSON.stringify([env.A.idFromName("a"), env.A.newUniqueId()]),
  "ID8 hex": (env) => { const id = env.A.idFromName("a"); return String(id) === id.toString() &&
    /^[0-9a-f]{64}$/.test(String(id)); },
  "ID8 tag": (env) => Object.prototype.toString.call(env.A.idFromName("a")),
  "ID8 equals": (env) => [env.A.idFromName("a").equals(env.A2.idFromName("a")),
    env.A.idFromName("a").equals(env.B.idFromName("a"))],
  "ID8 no id": (env) => env.A.idFromName("a").equals("a"),
  "ID9 string": (env) => env.A.get("a"),
  "ID9 null": (env) => env.A.get(null),
  "ID9 nothing": (env) => env.A.get(),
  "ID9 foreign": async (env) => { const id = env.A.idFromName("foreign");
    return (await env.B.get(id).hex()) === String(id); },
  "ID10 hint": (env) => ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me",
    "nowhere"].map((locationHint) => env.A.get(env.A.idFromName("a"), { locationHint }).name).join(""),
  "ID10 primary": (env) => env.A.get(env.A.idFromName("a"), { routingMode: "primary-only" }).name,
  "ID10 routing": (env) => env.A.get(env.A.idFromName("a"), { routingMode: "zzz" }),
  "ID11 same": (env) => env.A.getByName("n").id.equals(env.A.get(env.A.idFromName("n")).id),
  "ID11 lazy": async (env) => { const before = born; const stub = env.A.getByName("lazy"); await scheduler.wait(0);
    const between = born; await stub.inc(); return [between - before, born - before]; },
  "ID12 id": (env) => clone(env.A.idFromName("a")),
  "ID12 namespace": (env) => clone(env.A),
  "ID13 ids": (env) => env.A.idFromName("x").equals(env.A2.idFromName("x")),
  "ID13 instance": async (env) => [await env.A.getByName("shared").inc(), await env.A2.getByName("shared").inc(),
    await env.A.get(env.A2.idFromName("shared")).inc()],
  "ID14 named": (env) => env.A.getByName("inside").called(),
  "ID14 from string": (env) => env.A.get(env.A.idFromString(env.A.idFromName("inside").toString())).called(),
  "ID14 unnamed": (env) => env.A.get(env.A.idFromString(env.A.idFromName("never named").toString())).called(),
  "ID14 arm": (env) => env.A.getByName("alarm").arm(),
  "ID14 woken": (env) => env.A.get(env.A.idFromString(env.A.idFromName("alarm").toString())).woken(),
  "ID3 id": (env) => env.A.idFromName("a").toString(),
};
` + cases

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
