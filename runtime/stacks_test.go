package runtime

import (
	"os"
	"testing"
)

// An error that comes from elsewhere (an object, another Worker's method, a queue) has the functions that await it, as
// on the platform; what it went through there is not told.
func TestStacksOfAnswers(t *testing.T) {
	code, err := os.ReadFile("testdata/stacks.js")
	if err != nil {
		t.Fatal(err)
	}
	s := newProject(t, "wrangler.jsonc", `{
	"name": "stacks", "main": "index.js", "compatibility_date": "2026-04-01",
	"durable_objects": { "bindings": [{ "name": "ROOM", "class_name": "Room" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Room"] }],
	"services": [{ "binding": "SELF", "service": "stacks", "entrypoint": "Api" }],
	"queues": { "producers": [{ "binding": "Q", "queue": "q" }] }
}`, "index.js", string(code)).serve()
	const behind = "\n    at async helper (index.js:20:10)"
	s.expect("/object", "Error: in the object\n    at async Object.object (index.js:11:26)"+behind)
	s.expect("/sql", "Error: no such table: nope: SQLITE_ERROR\n    at async Object.sql (index.js:12:25)"+behind)
	s.expect("/none", `TypeError: The RPC receiver does not implement the method "nothing".`+
		"\n    at async Object.none (index.js:13:26)"+behind)
	s.expect("/property", "TypeError: a property\n    at async Object.property (index.js:14:30)"+behind)
	s.expect("/queue", "Error: delay of 1000000 seconds is outside 0 to 86400 (10203)"+
		"\n    at async Object.queue (index.js:15:27)"+behind)
	s.expect("/all", "Error: in the object")
	s.expect("/caught", "Error: in the object")
}
