package runtime

import (
	"path/filepath"
	"strings"
	"testing"
)

func restoreConfigs(flagsOfA string) [4]string {
	return [4]string{"a.jsonc", `{ "name": "a", "main": "a.js", "compatibility_date": "2026-04-01",
		"compatibility_flags": ["enable_ctx_exports"` + flagsOfA + `] }`,
		"b.jsonc", `{ "name": "b", "main": "b.js", "compatibility_date": "2026-04-01",
		"compatibility_flags": ["experimental", "allow_irrevocable_stub_storage"],
		"services": [{ "binding": "MAKER", "service": "a", "entrypoint": "Maker" }],
		"durable_objects": { "bindings": [{ "name": "HOLDER", "class_name": "Holder" }] },
		"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Holder"] }] }`}
}

const storeFlags = `, "experimental", "allow_irrevocable_stub_storage"`

// A stub that ctx.restore() has made lies in an object's storage as what it was made of: it is made again after a reset
// of the object, in the next session, and when its Worker runs in another session. A Worker that does not let its stubs
// be stored any more is not called (BIND-161).
func TestRestore(t *testing.T) {
	c := restoreConfigs(storeFlags)
	p := newProject(t, c[0], c[1], c[2], c[3], "a.js", script("restore", "a.js"),
		"b.js", script("restore", "b.js"))
	used := func(s *served) {
		s.t.Helper()
		s.expect(`/stub/call/"add"/7`, "x:7") // made anew each time
		s.expect(`/service/call/"greet"/"you"`, "hi you")
		s.expect(`/service/call/"fetch"`, "hi by fetch")
	}
	s := p.serve(using("b", "a"))
	s.expect(`/stub/keep/{"id":"x"}`, "kept")
	s.expect(`/service/keep/{"greeting":"hi"}`, "kept")
	used(s)
	s.expect(`/stub/abort`, "Error: over")
	used(s)
	s.end()
	s = p.serve(using("b", "a"))
	used(s)
	s.end()

	state := filepath.Join(p.dir, ".wrangler", "state")
	shares := sharing(state)
	other := p.serve(using("a"), shares)
	s = p.serve(using("b"), shares)
	for _, here := s.ask("GET", "/far/here", ""); here != "here"; { // until the two have been introduced
		_, here = s.ask("GET", "/far/here", "")
	}
	used(s)
	s.expect(`/far/keep/{"id":"far"}`, "kept")
	s.expect(`/far/call/"add"/2`, "far:2")
	s.end()
	other.end()

	p.write("a.jsonc", restoreConfigs(``)[1])
	s = p.serve(using("b", "a"))
	const lapsed = "no longer has the allow_irrevocable_stub_storage compatibility flag enabled."
	for _, path := range []string{`/stub/call/"add"/7`, `/service/call/"greet"/"you"`, `/service/call/"fetch"`} {
		if _, got := s.ask("GET", path, ""); !strings.Contains(got, lapsed) {
			t.Errorf("%s: %s", path, got)
		}
	}
}
