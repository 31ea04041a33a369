package runtime

import "testing"

// Workers and objects that call each other without end are ended at production's depths: 32 Workers, 16 objects with
// the Worker in front of them, and a new count of Workers below each object. Calls side by side are not deeper. A
// Worker that fetches the session's own address is as deep as one that calls itself, and does not see by what that is
// known.
func TestCallsEndAtDepth(t *testing.T) {
	const why = " Error: Subrequest depth limit exceeded. This request recursed through Workers too many times. This " +
		"can happen e.g. if you have a Worker or Durable Object that calls other Workers or objects recursively."
	s := newProject(t, "wrangler.jsonc", script("hops", "wrangler.jsonc"), "index.js",
		script("hops", "index.js")).serve(func(o *Options) { o.Listen, o.Port = true, -1 })
	for path, want := range map[string]string{
		"/fetch": "32" + why, "/rpc": "32" + why, "/object": "16" + why, "/objectrpc": "16" + why,
		"/through": "31" + why, "/wide": "wide",
		"/address?at=" + s.URL(): "32" + why,
	} {
		if status, got := s.ask("GET", path, ""); status.StatusCode != 200 || got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
