package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cases is the frame of a Worker whose paths are cases, shared with the facts of objects.
var cases = func() string {
	text, err := os.ReadFile("../durableobject/objectjs/testdata/scripts/cases.js")
	if err != nil {
		panic(err)
	}
	return string(text)
}()

// checkCases asks for every case. Pairs are a case, which begins with the fact's number, and its answer.
func (s *served) checkCases(pairs ...string) {
	s.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if _, got := s.ask("GET", "/"+strings.ReplaceAll(pairs[i], " ", "%20"), ""); got != pairs[i+1] {
			s.t.Errorf("%s\n got %s\nwant %s", pairs[i], got, pairs[i+1])
		}
	}
}

var uniqueKeyWorker = script("uniquekey", "worker.js") + cases

const uniqueKeyConfig = `{ "name": "odo", "main": "index.js", "compatibility_date": "2026-04-01",
  "durable_objects": { "bindings": [{ "name": "A", "class_name": "SqlDO" }, { "name": "B", "class_name": "B" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["SqlDO", "B"] }],
  "env": { "staging": { "durable_objects": { "bindings": [{ "name": "A", "class_name": "SqlDO" }] } } } }`

// ID3: the unique key is the Worker's name, with the environment's, and the class; so is the folder. A binding with
// script_name has the other Worker's (ID4 has the vector).
func TestUniqueKeyFacts(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", uniqueKeyConfig, "index.js", uniqueKeyWorker,
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
	s.checkCases("ID3 id", "f179fe6d32fcf357d8179536dd4f72a9f6a6829d2006c8c342dcc12b5d6ce5d9", "ID3 stored",
		"undefined")
	s.end()
	if got := folders(); got != "odo-SqlDO" {
		t.Errorf("folders %q", got)
	}
	s = p.serve(func(o *Options) { o.Env = "staging" })
	s.checkCases("ID3 stored", "undefined")
	s.end()
	if got := folders(); got != "odo-SqlDO odo-staging-SqlDO" {
		t.Errorf("folders %q", got)
	}
	s = p.serve(using("main"))
	s.checkCases("ID3 id", "dbb19d40db322b3be0e49aaa4c76b8ea4bc01738dd36061ffb8dc7e02ed55b43")
}
