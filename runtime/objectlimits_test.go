package runtime

import "testing"

var limitsWorker = script("objectlimits", "limits.js")

// KV12: production's limits hold unless --relaxed-limits lifts them. SQL18: histories are kept unless
// --object-history=0 says otherwise.
func TestObjectLimits(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"durable_objects": {"bindings": [{"name": "K", "class_name": "K"}, {"name": "S", "class_name": "S"}]},
		"migrations": [{"tag": "v1", "new_classes": ["K"], "new_sqlite_classes": ["S"]}]}`, "index.js", limitsWorker)
	for _, c := range []struct {
		change   func(*Options)
		kv, past string
	}{
		{func(*Options) {}, "RangeError,RangeError", "kept"},
		{func(o *Options) { o.RelaxedLimits, o.ObjectHistory = true, -1 }, "stored,stored",
			"This Durable Object's storage back-end does not implement point-in-time recovery."},
	} {
		s := p.serve(c.change)
		if got := s.read("/K"); got != c.kv {
			t.Errorf("limits: %s, want %s", got, c.kv)
		}
		if got := s.read("/S"); got != c.past {
			t.Errorf("history: %s, want %s", got, c.past)
		}
		s.end()
	}
}
