package wrangler

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wrangler.jsonc")
	writeFile(t, path, text)
	return path
}

// TestClassFold: migrations are folded in order to the classes and their storage (CL8, CL9, CL10).
func TestClassFold(t *testing.T) {
	tests := []struct {
		name, config string
		want         []Class
	}{
		{"new classes have no SQL, new sqlite classes have",
			`"migrations": [{ "tag": "v1", "new_classes": ["A"], "new_sqlite_classes": ["B"] }]`,
			[]Class{{Name: "A"}, {Name: "B", SQLite: true}}},
		{"a rename carries the flag", `"migrations": [{ "tag": "v1", "new_sqlite_classes": ["A"] }, ` +
			`{ "tag": "v2", "renamed_classes": [{ "from": "A", "to": "B" }] }]`,
			[]Class{{Name: "B", SQLite: true}}},
		{"a deleted class that is still bound has no SQL", `"migrations":
			[{ "tag": "v1", "new_sqlite_classes": ["A"] }, { "tag": "v2", "deleted_classes": ["A"] }],
			"durable_objects": { "bindings": [{ "name": "A", "class_name": "A" }] }`,
			[]Class{{Name: "A", Bound: true}}},
		{"within one step deletion comes first", `"migrations": [{ "tag": "v1", "new_classes": ["A"] }, ` +
			`{ "tag": "v2", "new_sqlite_classes": ["A"], "deleted_classes": ["A"] }]`,
			[]Class{{Name: "A", SQLite: true}}},
		{"classes that are not bound count as well", `"migrations": [{ "tag": "v1", "new_classes": ["A", "B"] }],
			"durable_objects": { "bindings": [{ "name": "B", "class_name": "B" }] }`,
			[]Class{{Name: "A"}, {Name: "B", Bound: true}}},
		{"classes of other Workers do not",
			`"durable_objects": { "bindings": [{ "name": "X", "class_name": "X", "script_name": "other" }] }`, nil},
		{"the own name as script_name is this Worker", `"migrations": [{ "tag": "v1", "new_classes": ["A"] }],
			"durable_objects": { "bindings": [{ "name": "A", "class_name": "A", "script_name": "w" }] }`,
			[]Class{{Name: "A", Bound: true}}},
		{"a bound class without migrations is key-value only",
			`"durable_objects": { ` +
				`"bindings": [{ "name": "A", "class_name": "A" }, { "name": "A2", "class_name": "A" }] }`,
			[]Class{{Name: "A", Bound: true}}},
		{"exports declare classes too", `"exports": {
			"A": { "type": "durable-object", "storage": "sqlite" },
			"B": { "type": "durable-object", "storage": "legacy-kv" },
			"C": { "type": "durable-object", "state": "deleted" }, "D": { "type": "worker" } }`,
			[]Class{{Name: "A", SQLite: true}, {Name: "B"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := mustLoad(t, writeConfig(t, `{ "name": "w", `+test.config+` }`), Options{})
			if diff := cmp.Diff(test.want, cfg.Classes, ignorePlaces); diff != "" {
				t.Errorf("classes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClassByName(t *testing.T) {
	cfg := mustLoad(
		t, writeConfig(t, `{ "name": "w", "migrations": [{ "tag": "v1", "new_sqlite_classes": ["A"] }] }`), Options{})
	if class, ok := cfg.Class("A"); !ok || !class.SQLite {
		t.Errorf("class A: %+v, %v", class, ok)
	}
	if class, ok := cfg.Class("B"); ok {
		t.Errorf("found a class that is not there: %+v", class)
	}
}
